/** The library's tables and columns under our own names. Source: migration 0015. */
const times = { createdAt: 'created_at', updatedAt: 'updated_at' } as const

export const tableNames = {
  user: { modelName: 'sign_in_user' },
  session: { modelName: 'sign_in_session' },
  account: { modelName: 'sign_in_account' },
  verification: { modelName: 'sign_in_verification' },
} as const

export const fieldNames = {
  user: { fields: { ...times, emailVerified: 'email_verified' } },
  session: {
    fields: { ...times, userId: 'user_id', expiresAt: 'expires_at', ipAddress: 'ip_address', userAgent: 'user_agent' },
  },
  account: {
    fields: {
      ...times,
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
    },
  },
  verification: { fields: { ...times, expiresAt: 'expires_at' } },
} as const

export const walletSchema = {
  walletAddress: {
    modelName: 'sign_in_wallet',
    fields: { userId: 'user_id', chainId: 'chain_id', isPrimary: 'is_primary', createdAt: 'created_at' },
  },
} as const
