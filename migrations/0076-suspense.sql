-- Findings about partners that supply no games (identity verification, the skin marketplace, the CRM). Null: the provider's own.
alter table provider_findings add column partner text;
