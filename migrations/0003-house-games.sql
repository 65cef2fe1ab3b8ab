insert into games (slug, name, type, provider_name, settings) values
  ('dice', 'Dice', 'HOUSE_GAME', null,
   '{"minBet": "0.01", "maxBet": "1000", "maxProfit": "100000", "rtp": 99, "maxMultiplier": 9900}');
