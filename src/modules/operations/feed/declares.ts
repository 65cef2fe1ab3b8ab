export const declares = {
  about: 'what sockets are sent: read up to the safe watermark, again for who comes back',
} as const;
