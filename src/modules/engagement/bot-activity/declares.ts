export const declares = {
  about:
    'scenery in the live feed: rows that nobody has played and that say so, and the accounts of bots that they are shown under',
  tags: {
    BotActivity:
      'Scenery in the live feed, which says that it is: accounts of bots, and how they seem to play. Nobody signs in with such an account, and it takes part in nothing.',
  },
  permissions: {
    'bot.read': 'See the activity of bots',
    'bot.write': 'Say how bots seem to play, and which accounts are bots',
  },
} as const;
