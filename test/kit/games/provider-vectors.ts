/** Signatures, and the keys with which they were created. The keys are used only for these vectors and protect nothing. */
export const vectors = {
  generic: {
    algorithm: 'hex HMAC-SHA256 of "<t>.<raw body>"',
    secret: 'generic-secret-of-the-examples',
    vectors: [
      {
        body: '{"action":"BET","playerId":"42","currency":"USDT","sessionToken":"s-1","gameCode":"seven-orchards","roundId":"r-1","transactionId":"t-1","amount":"10.00","timestamp":"2026-11-24T16:00:00.000Z"}',
        header: 'x-signature',
        value: 't=1764000000,v1=816ef2e9e052ab9fa6c2d73db95f604e2b44ca73387831dc1d169311f2902a3b',
        baseString:
          '1764000000.{"action":"BET","playerId":"42","currency":"USDT","sessionToken":"s-1","gameCode":"seven-orchards","roundId":"r-1","transactionId":"t-1","amount":"10.00","timestamp":"2026-11-24T16:00:00.000Z"}',
      },
    ],
  },
  hub88: {
    algorithm: 'RSASSA-PKCS1-v1_5 with SHA-256 over the raw body, base64',
    header: 'X-Hub88-Signature',
    publicKey:
      '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApsQYlnzASpwjPsZoDvWb\nqjCQbhARDyKp/n8nyekipU1gLbRPl7EY2VCCJky9qWszn3QdvoMA6k7M7Qq1NfQc\nrIDA+xbyLqFYhjfXmwd185UpIoiXaPXyvz1cRAt+i67GKcctohAax+DjFZiqblxQ\nzHvniDsdJsebAI8ZgZd/HEarrVAcOrgsyKtI5Hhhx52NTyfFo+CG4SMTusNWJfzM\n81aO1hW5lHjidEI4PFPGmmOebEIauGV7UHga11nz/tes1Wn0BRnz7SnaudKS6c1K\nbBF7rch7eNBnAAz+/QJMOAWUhVGRfktLyPT6iKfHoqmtYQjVL9u5wM66MbS66WLj\nMQIDAQAB\n-----END PUBLIC KEY-----\n',
    privateKey:
      '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCmxBiWfMBKnCM+\nxmgO9ZuqMJBuEBEPIqn+fyfJ6SKlTWAttE+XsRjZUIImTL2pazOfdB2+gwDqTszt\nCrU19BysgMD7FvIuoViGN9ebB3XzlSkiiJdo9fK/PVxEC36LrsYpxy2iEBrH4OMV\nmKpuXFDMe+eIOx0mx5sAjxmBl38cRqutUBw6uCzIq0jkeGHHnY1PJ8Wj4IbhIxO6\nw1Yl/MzzVo7WFbmUeOJ0Qjg8U8aaY55sQhq4ZXtQeBrXWfP+16zVafQFGfPtKdq5\n0pLpzUpsEXutyHt40GcADP79Akw4BZSFUZF+S0vI9PqIp8eiqa1hCNUv27nAzrox\ntLrpYuMxAgMBAAECggEAIwUqDqwa63AXfK7Iml+cdWRmaB6Kno2Oekm0jtOc+W6i\nxGZJkpbXm4crFaTm7UV8XT9Sobe8APhUU3D8tdxSCy2smO3sJLuwLdtbNQyfievo\na/6YISwI8n0Nu6JYTDgDGDHiFNbh8Nh6h4X8QFm1hAN/Dx4u1H51P+xNFGg+gq7D\nwag48IbJfuthkuadqJm5IUDiFQWSnJQHzz6ydJ7CulbQLoHlvsvOBQoTHNJ2cr5P\nj3SPGC1O7nVprBSLhUssOByBQLjSK3hCrnZoIlEPOpfUF9WYgcXAeC5r7rhKdjij\nFt23VTWSC13eZw2pfYctjeRjFV+AIyC+Ns9GEB9v2QKBgQDSpaT1UTzo9HKk7D7M\n54IGD4HpLX/8UpQeynPOXKe+X/v0GzrU81s447s/TGIWTA4xb8wWGXFMsZJaljOR\nUWL2U76y/RwdL8vE8x+wfpPOAwUEgWhq8GHZdFXc1y6Z0V7Oqgx+MNiEuVxndhV2\n6BYbwOgba8wJ1LV1Vln1xV6AHQKBgQDKq9WgTwDGcXqLgPM2OmZ6VJobtWByHKtk\nE4EP1uz+tPTTwWRVSy1T+6Zzxc+RpbL04dJfWB87lLAyDEMya2iTSf2+b9Asul1d\nuMPIKxVx9oBBReurii9Sm99iaZsW/xZIHwTvPG4Td4Eanxf5ViUhroa8SBBKos14\nw0HA9ROrJQKBgG0+QqKHExOtUpd9fcQ+fAwwlqsbUbjGCtM9I3nuS4BLvxsF1CkE\nXFbQpBdbwbLWlrXEyQ7c+wlPPhuEshG3J5+gJtIkuiPY2dC2VcTuoDDDGCMSCdkL\n+XMRBkaVwjE7h/Od9QSsyF1s1CND9jXIf069aKJv8U1X5xOHSPhQ94VxAoGATL7v\nIUppX7v/DK6i6qkIv1AkH1P6lpuWp0nfeJEJo5YAk+NKzCWwn3nO2U5RwLR/ZM3S\nrPogsZ4nbnxIQeJ8cjH1nVSX/yf/TQs3UChIcaRHgvAoQwgLzXtrBsg4y2eDF4Jv\niuxWPpblU6BlIqzlWLDPIqMjUDAAILfHwXrMnOUCgYEAxKQsPEkpv7wBlSzd5Aww\nsLWbOcTz5w6BmIkIpd6gFSs2p8BHNYdzQFeWmAbYEYa3wY3SsgDPkYXF5eeV0lix\n0mjX0d2Z7PfXh2fIa7VyLhkMHO0Uc+uGdewSP7y6ZT3Pd5lVp+N4X1RvLvXOcY5Q\n632JWOUi5yIay0ln/Vtt3E0=\n-----END PRIVATE KEY-----\n',
    vectors: [
      {
        body: '{"user":"42","transaction_uuid":"16d2dcfe-b89e-11e7-854a-58404eea6d16","supplier_transaction_id":"s-1","token":"55b7518e-b89e-11e7-81be-58404eea6d16","supplier_user":"hub88_42","round_closed":false,"round":"rNEMwgzJAOZ6eR3V","reward_uuid":null,"request_uuid":"583c985f-fee6-4c0e-bbf5-308aad6265af","is_free":false,"is_aggregated":false,"game_code":"clt_dragonrising","currency":"EUR","bet":null,"amount":1000000}',
        signature:
          'LqhhTWnxf6OgaMR0kwoM46722NTaeL4xy19I1POsOOcPgSbLJlJJdgIas1OjjWKGeH4uEb9NxmRE/9KGn4eLwsYw6T8CVhbtVQhXWWyVOpHIdGIGDsNO3yxbg7w9uKyccnFpXhXVnNAKSffsspvzm0PvRe0tK1UJdhBaOtsNedi+CpH8E90DZIchKBY1xXUHABAjALmCAUBoD1qlxFPtT2527CYwhcKrtpMQ1SvPuNFp1FxHrYlMGkzoXbLb4LjJ6VAU4WaRyaO0FTund7CvDH9Zb3a+hmkCIhV5C92aUCWaIDhdX0zFd2TjYvAoDZ7WvLC8t7oYhbYGxS5/sgFtMA==',
        invalidFor:
          '{"user":"42","transaction_uuid":"16d2dcfe-b89e-11e7-854a-58404eea6d16","supplier_transaction_id":"s-1","token":"55b7518e-b89e-11e7-81be-58404eea6d16","supplier_user":"hub88_42","round_closed":false,"round":"rNEMwgzJAOZ6eR3V","reward_uuid":null,"request_uuid":"583c985f-fee6-4c0e-bbf5-308aad6265af","is_free":false,"is_aggregated":false,"game_code":"clt_dragonrising","currency":"EUR","bet":null,"amount":1000000} ',
      },
    ],
  },
  softswiss: {
    algorithm: 'lower-case hex HMAC-SHA256 of the raw body',
    header: 'X-REQUEST-SIGN',
    authToken: 'softswiss-token-of-the-examples',
    vectors: [
      {
        body: '{"user_id":"42","currency":"EUR","game":"acceptance:book","game_id":"1761032910488163506","session_id":"s-1","finished":true,"actions":[{"action":"bet","action_id":"7c8affbf-53fd-4fcc-b1ca-18118c5dd287","amount":100},{"action":"win","action_id":"86441c7a-560e-4501-b829-110af6a1b956","amount":250}]}',
        signature: '150bb54b405d75eeaa284122ddaed54e88cc67a969d1d12844608538454c80d6',
      },
    ],
  },
  pragmatic: {
    algorithm:
      'lower-case hex MD5 of "k1=v1&k2=v2…" + secret: keys sorted by code unit, values decoded, without hash',
    secret: 'testKey',
    vectors: [
      {
        path: 'bet.html',
        params: {
          userId: '42',
          gameId: 'vs20orchards',
          roundId: '5103188801',
          amount: '2.00',
          reference: '585c1306f89c56f5ecfc2f5d',
          providerId: 'pragmaticplay',
          timestamp: '1764000000000',
          roundDetails: 'spin,bonusBuy',
          token: 's-1',
        },
        base: 'amount=2.00&gameId=vs20orchards&providerId=pragmaticplay&reference=585c1306f89c56f5ecfc2f5d&roundDetails=spin,bonusBuy&roundId=5103188801&timestamp=1764000000000&token=s-1&userId=42',
        hash: '964ca954aab011a5bf2e6fc4d1322978',
        body: 'userId=42&gameId=vs20orchards&roundId=5103188801&amount=2.00&reference=585c1306f89c56f5ecfc2f5d&providerId=pragmaticplay&timestamp=1764000000000&roundDetails=spin%2CbonusBuy&token=s-1&hash=964ca954aab011a5bf2e6fc4d1322978',
      },
    ],
  },
};
