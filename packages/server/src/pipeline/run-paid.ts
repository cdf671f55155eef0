/**
 * Room `pipeline`: the life of one paid request of any kind, written once. Find the model and its upstreams, hold, ask
 * one upstream after the other, price what came, settle, answer. What differs between kinds is in their `PaidWork`.
 */
import { type Charged, chargedAs, dueOf, isSame, NO_FACTS, type Settlement } from '../money/billing/settlement.ts'
import { codeOf } from '../platform/errors/code-of.ts'
import { CancelledBeforeOutput } from './cancelled-before-output.ts'
import { askCostOf, completeBill } from './late-cost.ts'
import { attemptTargets } from './routing/attempt-targets.ts'
import { listTargets, type SelectTarget } from './routing/list-targets.ts'
import type { Target } from './routing/target.ts'
import type { JobRun, Paid, PaidDeps, PaidRun, PaidTask, PaidWork } from './paid-work.ts'
import type { Priced, Sink } from './paid-work.ts'
import { withCardPercent } from '../pricing/card-percent.ts'
import { placeBounded } from './place-bounded.ts'
import { underTerms } from './under-terms.ts'

/**
 * Works on one paid request and charges it. The charge is durable before the last byte of the answer leaves.
 *
 * Source: decisions 0005 (size of a hold), 0008 (order at the end of a request), 0033 (what may be repeated), 0084
 * (what an upstream bills and no client pays).
 *
 * @returns how it ended, as the sink says.
 * @throws {ServiceError} for everything that fails before anything was sent; the request is then free.
 */
export async function runPaid<To extends Target, Answer, Reply, End>(
  deps: PaidDeps,
  task: PaidTask<unknown>,
  work: PaidWork<To, Answer, Reply, End>,
): Promise<End> {
  const agreed = task.terms === null ? work : underTerms(work, task.terms)
  const model = agreed.findModel()
  const targets = listTargets(deps, model, priced(agreed.selectTarget(model), task.cardPercent))
  const hold = await placeBounded(deps, task, agreed, { model, targets })
  const paid: Paid<To> = { model, targets, target: targets[0], hold, generationId: null }
  const run = await begin(work, paid)
  const { sink } = run
  try {
    const answer = await attemptTargets(deps, paid, run)
    return sink.finish('handOver' in run ? await run.handOver(answer) : await charge(deps, paid, run, answer))
  } catch (error) {
    const explained = run.explain?.(error) ?? error
    // What could not be written stays with the hold and is written later: the settlement of an answer that was
    // delivered, the release of one that was not.
    if (hold.unwritten === null) await free(deps, paid, error)
    return sink.fail(explained, hold.isSettled)
  }
}

/** Targets at a part of their rate card: what is held, charged and recorded follows. */
function priced<To extends Target>(selectTarget: SelectTarget<To>, cardPercent: number | undefined): SelectTarget<To> {
  if (cardPercent === undefined) return selectTarget
  return ({ price, ...offering }) =>
    selectTarget({ ...offering, price: price === null ? null : withCardPercent(price, cardPercent) })
}

async function begin<To extends Target, Answer, Reply, End>(
  work: PaidWork<To, Answer, Reply, End>,
  paid: Paid<To>,
): Promise<PaidRun<To, Answer, Reply, End> | JobRun<To, Answer, Reply, End>> {
  try {
    return work.begin(paid)
  } catch (error) {
    await paid.hold.abandon(codeOf(error), {})
    throw error
  }
}

/** @throws {Error} why the answer is free or, once the delivered part is charged, why the answer broke off. */
async function charge<To extends Target, Answer, Reply, End>(
  deps: PaidDeps,
  paid: Paid<To>,
  run: PaidRun<To, Answer, Reply, End>,
  answer: Answer,
): Promise<Reply> {
  const priced = await run.price(answer, askCostOf(deps, paid))
  const reply = await settle(deps, paid, run.sink, priced)
  if (priced.failure !== null) throw priced.failure
  return reply
}

async function settle<Reply>(
  deps: PaidDeps,
  paid: Paid<Target>,
  sink: Pick<Sink<Reply, unknown>, 'keep' | 'charged' | 'isOpen'>,
  priced: Priced<Reply>,
): Promise<Reply> {
  const { hold, target } = paid
  const { most } = hold.request
  const { charge: due } = priced.charge
  const wanted = chargedAs(dueOf(most === null ? { charge: due } : { charge: due, most }))
  // Written before the settlement, so that an answer which cannot be written is never charged.
  const reply = priced.render(wanted)
  // What calls cost beyond what was delivered is our loss.
  await completeBill(deps, hold.bill)
  await sink.keep?.(reply)
  const charged = await hold.settle(settlementOf(priced, target)).catch(async (error: unknown) => {
    // Its caller reads what was delivered, and the settlement is tried again.
    if (sink.isOpen) throw error
    return freeUnlessCharged(deps, paid, error)
  })
  sink.charged(charged)
  return isSame(charged, wanted) ? reply : priced.render(charged)
}

/**
 * Frees a request whose settlement failed before anything was sent. A database that did not answer may have committed
 * it all the same, and then answers the release with what it took: a caller who was charged gets the answer.
 *
 * @throws {Error} why the settlement failed, where nothing was charged or that is not known yet.
 */
async function freeUnlessCharged(deps: PaidDeps, paid: Paid<Target>, error: unknown): Promise<Charged> {
  await free(deps, paid, error)
  const { charged } = paid.hold
  if (charged === null || charged.charge === 0n) throw error
  return charged
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

/**
 * Frees a request that has failed, and books what upstreams bill for it as our loss. Where it is settled already there
 * is nothing to do, and no upstream to ask what it costs. Never rejects.
 */
async function free(deps: PaidDeps, { hold, target, generationId }: Paid<Target>, error: unknown): Promise<void> {
  if (hold.isSettled) return
  const { upstream, upstreamModel } = target
  const served = { upstream: upstream.name, upstreamModel }
  if (error instanceof CancelledBeforeOutput) return hold.abandon(null, { ...served, status: 'cancelled' })
  hold.bill.withdraw()
  if (hold.bill.unknown.length > 0) await hold.noteFailure()
  await completeBill(deps, hold.bill)
  await hold.abandon(codeOf(error), { ...served, generationId: generationId ?? hold.bill.generationId })
}
