export const declares = {
  about: 'findings: partner reports that staff have to decide about',
} as const;
