/**
 * A stream whose hold has to grow while the database is away: it goes on as far as it is paid for, waits there, and is
 * delivered whole. Source: decision 0145 (a database that is away ends no stream).
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../packages/server/testing/eventually.ts'
import { findPostgres } from '../packages/server/testing/test-database.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { createDatabaseFault, type DatabaseFault } from './database-faults.ts'
import { setBalance } from './funded-caller.ts'
import { chargeIn, credits, finishReasonOf, hasText, openStream, question } from './open-stream.ts'
import { steppedStream } from './stepped-stream.ts'

/** Beyond the time for which the ledger asks a database that does not answer. */
const TIME = 180_000
/** Nanocredits for a token of output and of the prompt, with the margin. Source: the bundled list. */
const OPUS = { output: 30_000_000n, prompt: 6_000_000n } as const
/** Bytes of half the first step of a hold, which has 4,096 tokens, and of all of it. */
const [HALF, WHOLE] = [8_192, 16_384]
const PIECE = 4_000

// A locked file of embedded storage makes each failure wait for ten times as long, on the same path.
describe.skipIf(findPostgres() === null)('a stream whose hold has to grow while the database is away', () => {
  const engine = 'postgres'
  const stub = useStubUpstream()
  let fault: DatabaseFault
  beforeEach(() => {
    fault = createDatabaseFault(engine, () => gateway.dataDir)
  })
  afterEach(() => fault.close())
  const gateway = useGatewayPerTest(() => ({
    ...{ engine, upstreamUrl: stub.url, leadTo: fault.leadTo, credits: '0' },
    file: { limits: { journal_ms: 500 } },
  }))
  afterEach(() => fault.end())

  const extensions = async (holdId: string): Promise<number> => {
    const { read } = gateway.gateway.database
    const rows = read.selectFrom('hold_extension').select('hold_id').where('hold_id', '=', holdId)
    return (await rows.execute()).length
  }

  test(
    'goes on as far as it is paid for, waits there, and is delivered whole',
    async () => {
      // Pays for all that the model can make, and not four times over: then the hold starts small.
      await setBalance(gateway, gateway.gateway.ledger, credits('4000'))
      const { posted } = await gateway.balance()
      const upstream = steppedStream(stub)
      const opening = openStream(gateway, question('anthropic/claude-opus-5'))
      await upstream.send(4)
      const stream = await opening
      await stream.until(hasText)

      await fault.begin()
      const { ledger } = gateway.gateway
      await upstream.send(HALF)
      // The extension that it asks for is given up by the ledger, and asked for again.
      const failures = ledger.counters.failuresInARow
      await eventually(() => expect(ledger.counters.failuresInARow).toBeGreaterThan(failures + 1), TIME)
      await upstream.send(PIECE)
      while (stream.text().length < HALF + PIECE) await stream.until(hasText)
      // Beyond what is held, where it waits.
      await upstream.send(WHOLE)
      await upstream.finish(7_000)
      await fault.end()

      const last = await stream.rest()
      expect(finishReasonOf(stream)).toBe('stop')
      expect(stream.text()).toHaveLength(4 + HALF + PIECE + WHOLE)
      const charge = 10n * OPUS.prompt + 7_000n * OPUS.output
      expect(chargeIn(last.text)).toBe(charge)
      await gateway.settled()
      expect(await gateway.balance()).toEqual({ posted: posted - charge, held: 0n })
      expect(await extensions(stream.requestId)).toBeGreaterThan(0)
    },
    TIME,
  )
})
