/**
 * Room `pipeline`: the life of one paid request of any kind, written once. Find the model and its upstreams, hold, ask
 * one upstream after the other, price what came, settle, answer. What differs between kinds is in their `PaidWork`.
 */
import { chargedAs, isSame, NO_FACTS, type Settlement } from '../money/billing/settlement.ts'
import { codeOf } from '../platform/errors/code-of.ts'
import { attemptTargets } from './routing/attempt-targets.ts'
import { listTargets } from './routing/list-targets.ts'
import type { Target } from './routing/target.ts'
import { completeBill, settleFailed } from './settle-failed.ts'
import type { Paid, PaidDeps, PaidRun, PaidTask, PaidWork, Priced } from './paid-work.ts'
import { placeBounded } from './place-bounded.ts'

/**
 * Works on one paid request and charges it. The charge is durable before the last byte of the answer leaves.
 *
 * Source: decisions 0005 (size of a hold), 0008 (order at the end of a request), 0033 (what may be repeated), 0084
 * (what an upstream bills and nobody pays).
 *
 * @returns how it ended, as the sink says.
 * @throws {ServiceError} for everything that fails before anything was sent; the request is then free.
 */
export async function runPaid<To extends Target, Answer, Reply, End>(
  deps: PaidDeps,
  task: PaidTask<unknown>,
  work: PaidWork<To, Answer, Reply, End>,
): Promise<End> {
  const model = work.findModel()
  const targets = listTargets(deps, model, work.selectTarget(model))
  const hold = await placeBounded(deps, task, work, { model, targets })
  const paid: Paid<To> = { model, targets, target: targets[0], hold, generationId: null }
  const run = await begin(work, paid)
  const { sink } = run
  try {
    const priced = await run.price(await ask(deps, paid, run))
    const reply = await settle(deps, paid, run, priced)
    if (priced.failure !== null) throw priced.failure
    return sink.finish(reply)
  } catch (error) {
    const told = run.explain?.(error) ?? error
    // A settlement that could not be written stays with the hold of an answer that was delivered: it is written later.
    const isDelivered = sink.isOpen && hold.unwritten !== null
    if (!isDelivered) await free(deps, paid, run, error)
    return sink.fail(told, hold.isSettled)
  }
}

async function begin<To extends Target, Answer, Reply, End>(
  work: PaidWork<To, Answer, Reply, End>,
  paid: Paid<To>,
): Promise<PaidRun<To, Answer, Reply, End>> {
  try {
    return work.begin(paid)
  } catch (error) {
    await paid.hold.abandon(codeOf(error), {})
    throw error
  }
}

function ask<To extends Target, Answer, Reply, End>(
  deps: PaidDeps,
  paid: Paid<To>,
  run: PaidRun<To, Answer, Reply, End>,
): Promise<Answer> {
  const { signal } = paid.hold.ended
  const isEnded = (): boolean => run.isEnded?.() ?? signal.aborted
  return attemptTargets(deps, paid, {
    run: (target) => run.ask(target),
    reportsOf: (answer) => run.reportsOf(answer),
    costOf: (target, report) => run.costOf?.(target, report) ?? null,
    failureOf: (answer) => run.failureOf?.(answer) ?? null,
    callsOf: run.callsOf === undefined ? undefined : (answer) => run.callsOf?.(answer) ?? [],
    isEnded,
    mayRepeat: () => !isEnded() && run.sink.mayBeginAnew,
  })
}

async function settle<Reply>(
  deps: PaidDeps,
  { hold, target }: Paid<Target>,
  { sink }: Pick<PaidRun<never, never, Reply, unknown>, 'sink'>,
  priced: Priced<Reply>,
): Promise<Reply> {
  const wanted = chargedAs(priced.charge.charge)
  // Written before the settlement, so that an answer which cannot be written is never charged.
  const reply = priced.render(wanted)
  // What calls cost beyond what was delivered is our loss.
  await completeBill(deps, hold)
  const charged = await hold.settle(settlementOf(priced, target))
  sink.charged(charged)
  return isSame(charged, wanted) ? reply : priced.render(charged)
}

function settlementOf(priced: Priced<unknown>, { upstream, upstreamModel }: Target): Settlement {
  const { charge, estimated, status, errorCode, generationId, tokens } = priced
  return {
    charge: charge.charge,
    cost: charge.cost,
    facts: {
      ...NO_FACTS,
      ...tokens,
      upstream: upstream.name,
      upstreamModel,
      generationId,
      status,
      errorCode,
      basis: charge.basis,
      estimated,
      pricing: charge.pricing,
    },
  }
}

/** A caller who leaves before the upstream answers has asked for nothing that was made: no failure, and free. */
function free(
  deps: PaidDeps,
  paid: Paid<Target>,
  { sink }: Pick<PaidRun<never, never, never, unknown>, 'sink'>,
  error: unknown,
): Promise<void> {
  if (!sink.isForsaken) return settleFailed(deps, paid, error)
  const { upstream, upstreamModel } = paid.target
  return paid.hold.abandon(null, { upstream: upstream.name, upstreamModel, status: 'cancelled' })
}
