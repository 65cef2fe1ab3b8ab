export const declares = {
  about:
    'the catalogue of all games: search, favorites, main page, administration by staff, commission rules',
} as const;
