-- House games without pictures use their built-in artwork, which every API serves at /art.
update games set images = array['/art/tile-' || slug || '.svg']
where type = 'HOUSE_GAME' and images = '{}'
  and slug in ('blackjack', 'dice', 'keno', 'limbo', 'mines', 'monkey-run', 'plinko', 'roulette', 'speed-roulette');
