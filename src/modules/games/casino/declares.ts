export const declares = {
  about:
    'the catalogue of all games: search, favourites, main page; what staff changes of it, commission rules',
} as const;
