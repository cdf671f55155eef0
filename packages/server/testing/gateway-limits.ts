import type { GatewayLimits } from '../src/access/keys/request-limits.ts'

/** What a gateway allows each key, for tests of keys without a gateway. */
export const testLimits: GatewayLimits = { requestsPerMinute: 600, streamsAtOnce: 20 }
