/** What the books say of one request: a client cannot see what the gateway bears itself. */
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'

export interface Booked {
  readonly charge: bigint
  readonly writeOff: bigint
  readonly cost: bigint
  readonly status: string
  readonly errorCode: string | null
  readonly isEstimated: boolean
}

/** The newest usage record, once no hold is open; amounts in nanocredits. */
export async function lastBooked(gateway: TestGateway): Promise<Booked> {
  await gateway.settled()
  const row = await gateway.gateway.database.read
    .selectFrom('usage_record')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('usage_id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  return booked(row)
}

/** The record of one request, once no hold is open. */
export async function bookedOf(gateway: TestGateway, requestId: string | null): Promise<Booked> {
  await gateway.settled()
  const { read } = gateway.gateway.database
  const rows = read
    .selectFrom('usage_record')
    .selectAll()
    .where('usage_id', '=', requestId ?? '')
  return booked(await rows.executeTakeFirstOrThrow())
}

interface Row {
  readonly charge: bigint
  readonly write_off: bigint
  readonly cost: bigint
  readonly status: string
  readonly error_code: string | null
  readonly estimated: unknown
}

function booked({ charge, write_off: writeOff, cost, status, error_code: errorCode, estimated }: Row): Booked {
  return { charge, writeOff, cost, status, errorCode, isEstimated: Boolean(estimated) }
}
