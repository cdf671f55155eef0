/** An account's credits, set and measured by a test. */
import { nanocreditsOf } from '@svc/contract'
import type { Ledger } from '../packages/server/src/money/ledger/ledger.ts'
import { createId } from '../packages/server/src/platform/runtime/ids.ts'
import { sendCompletion, type StubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { type ChatTarget, createGate, credits } from './open-stream.ts'

export interface FundedCaller {
  readonly accountId: string
  balance(): Promise<{ readonly posted: bigint; readonly held: bigint }>
}

/** Makes the balance exactly an amount of nanocredits, by a correction. */
export async function setBalance(funded: FundedCaller, ledger: Ledger, amount: bigint): Promise<void> {
  const { posted } = await funded.balance()
  if (posted === amount) return
  const now = Date.now()
  const result = await ledger.submit({
    kind: 'credit',
    transferId: createId(now),
    source: 'adjustment',
    accountId: funded.accountId,
    amount: nanocreditsOf(amount - posted),
    reason: 'test',
    now,
  })
  if (result.kind !== 'credited') throw new Error(`the balance was not set: ${result.kind}`)
}

/**
 * What a request holds while it runs, in nanocredits. Leaves the balance at zero. A 402 can name less: it counts the
 * tokens of a prompt that does not fit otherwise.
 */
export async function measureHold(
  funded: FundedCaller & ChatTarget,
  tools: { readonly ledger: Ledger; readonly stub: StubUpstream },
  body: object,
): Promise<bigint> {
  await setBalance(funded, tools.ledger, credits('1000000'))
  const [arrived, gate] = [createGate(), createGate()]
  tools.stub.onChat = async (_call, response) => {
    arrived.open()
    await gate.opened
    sendCompletion(response)
  }
  const answer = funded.chat(body)
  await arrived.opened
  const { held } = await funded.balance()
  gate.open()
  await (await answer).text()
  await setBalance(funded, tools.ledger, 0n)
  return held
}
