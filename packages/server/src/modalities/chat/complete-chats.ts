/** Several chats of one request, answered whole: one hold, one charge, and all of the answers or none. */
import { nanocreditsOf } from '@svc/contract'
import type { Charged } from '../../money/billing/settlement.ts'
import { findChatModel } from '../../pipeline/find-model.ts'
import type { AskCost } from '../../pipeline/late-cost.ts'
import {
  type Bound,
  type FoundModel,
  type Paid,
  type PaidRun,
  type PaidTask,
  type PaidWork,
  type Priced,
  wholeAnswer,
  type WholeAnswer,
} from '../../pipeline/paid-work.ts'
import { renderSvc } from '../../pipeline/render-charge.ts'
import type { ChatTarget } from '../../pipeline/routing/target.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import { countedCost, decideTogether, type DecidedCharge, tokensOf } from '../../pipeline/token-charge.ts'
import { extrasOf } from '../../upstreams/openai-compatible/answer-extras.ts'
import { type AskedChats, askTogether } from './ask-together.ts'
import { ChatBounds, type ChatPlan } from './chat-plan.ts'
import { type ChatDeps, chatRequest, createdOf, selectAble } from './chat-work.ts'
import { countAnswer, type CountedAnswer } from './count-answer.ts'
import type { ChatCall } from './parse-chat.ts'
import { renderUsage } from './render-usage.ts'

/** Chats of one caller and one model, with the same limits; at least one. */
export type ChatsTask = PaidTask<readonly [ChatCall, ...ChatCall[]]>

/** All bounds as one: so many tokens of each chat, at what all of them cost together. */
function sumBounds(bounds: readonly Bound[]): Bound {
  const add = (amount: (bound: Bound) => bigint) =>
    nanocreditsOf(bounds.reduce((sum, bound) => sum + amount(bound), 0n))
  return {
    fixed: add(({ fixed }) => fixed),
    perUnit: add(({ perUnit }) => perUnit),
    units: Math.max(...bounds.map(({ units }) => units)),
    // Limits of the request, and not of the balance: an answer is all that was asked for.
    policy: 'exact',
    firstUnits: 0,
    isDivisible: true,
  }
}

/** Null where no chat has a sharper bound. */
async function sharperBound(chats: readonly ChatBounds[], found: FoundModel<ChatTarget>): Promise<Bound | null> {
  const bounds: Bound[] = []
  let isSharper = false
  for (const chat of chats) {
    const counted = await chat.byCount(found)
    isSharper ||= counted !== null
    bounds.push(counted ?? (await chat.byBytes(found)))
  }
  return isSharper ? sumBounds(bounds) : null
}

/** What made all of the answers; nothing where that is not one and the same. */
function fingerprintOf(answers: readonly CountedAnswer[]): { readonly system_fingerprint?: unknown } {
  const named = new Set(answers.map(({ completed }) => completed.completion['system_fingerprint'] ?? null))
  const [fingerprint = null] = named
  return named.size > 1 || fingerprint === null ? {} : { system_fingerprint: fingerprint }
}

/**
 * All answers as one chat completion. The choices of the first chat come first. Sources stand beside each choice that
 * has them: a text refers to them by their places in the list of its own chat.
 */
function render(
  { hold }: Paid<ChatTarget>,
  model: string,
  { answers, decided }: { readonly answers: readonly CountedAnswer[]; readonly decided: DecidedCharge },
  charged: Charged,
): WholeAnswer {
  const choices = answers
    .flatMap(({ completed: { completion } }) =>
      (completion['choices'] as readonly object[]).map((choice) => ({ ...choice, ...extrasOf(completion) })),
    )
    .map((choice, index) => ({ ...choice, index }))
  const id = `chatcmpl-${hold.id}`
  const usage = renderUsage(null, decided, charged.charge)
  const head = { id, object: 'chat.completion', created: createdOf(hold), model, ...fingerprintOf(answers) }
  const body = JSON.stringify({ ...head, choices, usage })
  return { body: `${body.slice(0, -1)},"svc":${renderSvc(charged, decided.estimated, null)}}`, charged }
}

/** @throws {Error} why one of the chats has no answer: then none is delivered, and the request is free. */
async function price(
  askCost: AskCost,
  paid: Paid<ChatTarget>,
  { call: calls }: ChatsTask,
  { plans, asked }: { readonly plans: readonly ChatPlan[]; readonly asked: AskedChats },
): Promise<Priced<WholeAnswer>> {
  const [failure] = asked.failures
  if (failure !== undefined) throw failure
  const counted = await Promise.all(
    asked.answers.map((answer, place) => {
      const [call, plan] = [calls[place] as ChatCall, plans[place] as ChatPlan]
      return countAnswer(askCost, paid, { call, plan, answer })
    }),
  )
  const decided = decideTogether(paid.target.price, counted)
  for (const report of asked.reports) paid.hold.bill.deliver(report)
  return {
    ...{ charge: decided.charge, estimated: decided.estimated, tokens: tokensOf(decided) },
    ...{ status: 'ok', errorCode: null, failure: null, generationId: counted[0]?.completed.generationId ?? null },
    render: (charged) => render(paid, calls[0].request.model, { answers: counted, decided }, charged),
  }
}

/** Makes the pipeline's work of several chats of one request. */
export function chatsWork<Answer, Reply, End>(
  deps: ChatDeps,
  { caller, call: calls }: ChatsTask,
  begin: (paid: Paid<ChatTarget>, plans: readonly ChatPlan[]) => PaidRun<ChatTarget, Answer, Reply, End>,
): PaidWork<ChatTarget, Answer, Reply, End> {
  const { model } = calls[0].request
  const chats = calls.map((call) => new ChatBounds(deps, call))
  const choices = Math.max(...chats.map((chat) => chat.choices))
  return {
    ...{ type: 'chat', model, stream: false, sendsBeforeSettlement: false },
    findModel: () => findChatModel(deps, caller, model),
    selectTarget: () => selectAble({ choices, fillsGap: chats.some(({ fillsGap }) => fillsGap) }),
    bound: async (found) => sumBounds(await Promise.all(chats.map(async (chat) => chat.byBytes(found)))),
    sharperBound: (found) => sharperBound(chats, found),
    begin: (paid) =>
      begin(
        paid,
        chats.map((chat) => chat.plan(paid.hold)),
      ),
  }
}

/**
 * Answers several chats of one request, and charges them together. The charge is durable before the answers are
 * returned. Like every answer that is made whole they are made to their end, even when the caller has gone.
 *
 * Source: decision 0124 (text completions).
 *
 * @throws {ServiceError} where one of them fails; all are free then.
 */
export function completeChats(deps: ChatDeps, task: ChatsTask): Promise<WholeAnswer> {
  const work = chatsWork<AskedChats, WholeAnswer, WholeAnswer>(deps, task, (paid, plans) => {
    const { signal } = paid.hold.ended
    return {
      sink: wholeAnswer(task.keep),
      ask: (target) =>
        askTogether(
          target.upstream,
          plans.map((plan) => chatRequest(paid, plan, target, { stream: false, signal })),
        ),
      reportsOf: ({ reports }) => reports,
      failureOf: ({ answers, failures }) => (answers.length === 0 ? (failures[0] ?? null) : null),
      callsOf: ({ answers, failures }) => [...answers.map(() => null), ...failures],
      costOf: countedCost,
      price: (asked, askCost) => price(askCost, paid, task, { plans, asked }),
    }
  })
  return runPaid(deps, task, work)
}
