-- Lines of a bet that was made in an earlier block of ids: what rounds stake and pay later. Those that feeds cannot find by the bet
-- that they were written with; a single-step bet enters it not.
create index ledger_lines_later_idx on ledger_lines (id) where (id >> 10) <> (entry_id >> 10);
