export const declares = { about: 'stored responses, so that a repeated request takes effect once' } as const;
