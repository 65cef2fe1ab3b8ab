-- All countries whose rules count for bets of a launch, joined by a space. Null: launched by the previous version, which knew only `country`.
alter table provider_sessions add column countries text;
