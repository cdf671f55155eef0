/**
 * A conversation as a tree: each turn is one message of a person with the answers of up to three models. Editing a
 * message makes a second turn beside it, retrying makes a second answer; nothing is lost. Pure.
 */

/** Models that answer side by side at most. Source: own choice. */
export const LANES_MAX = 3

export interface Attachment {
  readonly name: string
  /** A data URL. */
  readonly url: string
}

/** A tool that a model may call, and the reply that it gets. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  /** JSON Schema as text. */
  readonly parameters: string
  /** What every call is answered with; null asks the person. */
  readonly reply: string | null
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, as the model wrote it. */
  readonly arguments: string
}

/** What a model said before it had the replies of its tools. */
export interface ToolRound {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  /** One for each call. */
  readonly replies: readonly string[]
  readonly requestId: string | null
  readonly charge: string | null
}

/** Tokens of one request. */
export interface AnswerTokens {
  readonly input: number
  readonly output: number
  /** Of the output. */
  readonly reasoning: number
}

export interface AnswerFailure {
  readonly message: string
  readonly code: string | null
  /** The other fields of the error, as the gateway sent them. */
  readonly details: Readonly<Record<string, unknown>>
}

/** `running` from the click to the last byte; what a page that was left had begun is `cut`. */
export type AnswerState = 'running' | 'done' | 'stopped' | 'failed' | 'cut'

export interface Answer {
  readonly id: string
  readonly model: string
  readonly text: string
  readonly reasoning: string
  readonly images: readonly string[]
  /** Tools that it called and that have no reply yet. */
  readonly calls: readonly ToolCall[]
  /** What came before, oldest first: each is a request of its own. */
  readonly rounds: readonly ToolRound[]
  /** From the click to the first content, and to the end, in milliseconds; of the last request. */
  readonly firstMs: number | null
  readonly totalMs: number | null
  readonly tokens: AnswerTokens | null
  readonly state: AnswerState
  readonly finish: string | null
  readonly requestId: string | null
  /** Exact decimal text; null while it is not known. */
  readonly charge: string | null
  readonly isEstimated: boolean
  /** The limit that the gateway set since what was available pays for no more. */
  readonly limit: number | null
  readonly failure: AnswerFailure | null
}

export interface Turn {
  readonly id: string
  readonly parent: string | null
  readonly text: string
  readonly images: readonly Attachment[]
  /** Answers by lane, oldest first. */
  readonly lanes: readonly (readonly Answer[])[]
  /** Which answer of each lane is shown, and goes on. */
  readonly shown: readonly number[]
}

/** How much a model thinks first. Source: OpenAI, `reasoning_effort`. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const

export interface Parameters {
  readonly system: string
  /** Null leaves it to the model. */
  readonly temperature: number | null
  readonly topP: number | null
  readonly maxTokens: number | null
  readonly seed: number | null
  readonly format: 'text' | 'json' | 'schema'
  /** JSON Schema as text, for the format `schema`. */
  readonly schema: string
  readonly effort: (typeof EFFORTS)[number] | null
  readonly tools: readonly ToolSpec[]
}

export const DEFAULT_PARAMETERS: Parameters = {
  system: '',
  temperature: null,
  topP: null,
  maxTokens: null,
  seed: null,
  format: 'text',
  schema: '',
  effort: null,
  tools: [],
}

export interface Conversation {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly changedAt: number
  readonly models: readonly string[]
  readonly parameters: Parameters
  readonly turns: Readonly<Record<string, Turn>>
  /** The last turn of the branch that is shown; null while there is none. */
  readonly head: string | null
}

export function emptyConversation(
  id: string,
  models: readonly string[],
  parameters = DEFAULT_PARAMETERS,
): Conversation {
  return { id, changedAt: Date.now(), models, parameters, turns: {}, head: null }
}

export function emptyAnswer(id: string, model: string): Answer {
  return {
    id,
    model,
    text: '',
    reasoning: '',
    images: [],
    calls: [],
    rounds: [],
    firstMs: null,
    totalMs: null,
    tokens: null,
    state: 'running',
    finish: null,
    requestId: null,
    charge: null,
    isEstimated: false,
    limit: null,
    failure: null,
  }
}

/** The turns of the branch that is shown, first to last. */
export function pathOf({ turns, head }: Conversation): readonly Turn[] {
  const path: Turn[] = []
  for (let turn = head === null ? undefined : turns[head]; turn !== undefined;) {
    path.push(turn)
    turn = turn.parent === null ? undefined : turns[turn.parent]
  }
  return path.toReversed()
}

/** The turns in the same place, oldest first: a message and what it was changed into. */
export function siblingsOf({ turns }: Conversation, turn: Turn): readonly Turn[] {
  return Object.values(turns).filter(({ parent }) => parent === turn.parent)
}

/** Adds a message after the branch that is shown, or after `parent` where one is named. */
export function addTurn(
  conversation: Conversation,
  message: { readonly id: string; readonly text: string; readonly images: readonly Attachment[] },
  parent: string | null = conversation.head,
): Conversation {
  const turn: Turn = { ...message, parent, lanes: conversation.models.map(() => []), shown: [] }
  return touched({ ...conversation, turns: { ...conversation.turns, [turn.id]: turn }, head: turn.id })
}

/** Adds an answer to a lane, which shows it. */
export function addAnswer(conversation: Conversation, turnId: string, lane: number, answer: Answer): Conversation {
  return changeTurn(conversation, turnId, (turn) => {
    const lanes = Array.from({ length: Math.max(turn.lanes.length, lane + 1) }, (_, at) => turn.lanes[at] ?? [])
    const answers = [...(lanes[lane] ?? []), answer]
    return showAnswerOf({ ...turn, lanes: lanes.with(lane, answers) }, lane, answers.length - 1)
  })
}

/** Changes one answer, wherever it is. */
export function changeAnswer(
  conversation: Conversation,
  answerId: string,
  change: (answer: Answer) => Answer,
): Conversation {
  const turn = Object.values(conversation.turns).find(({ lanes }) => lanes.flat().some(({ id }) => id === answerId))
  if (turn === undefined) return conversation
  const lanes = turn.lanes.map((answers) => answers.map((each) => (each.id === answerId ? change(each) : each)))
  return changeTurn(conversation, turn.id, () => ({ ...turn, lanes }))
}

export function showAnswer(conversation: Conversation, turnId: string, lane: number, at: number): Conversation {
  return changeTurn(conversation, turnId, (turn) => showAnswerOf(turn, lane, at))
}

function showAnswerOf(turn: Turn, lane: number, at: number): Turn {
  const shown = turn.lanes.map((answers, each) => (each === lane ? at : (turn.shown[each] ?? answers.length - 1)))
  return { ...turn, shown }
}

/** The answer of a lane that is shown; null where the lane has none. */
export function shownAnswer(turn: Turn, lane: number): Answer | null {
  const answers = turn.lanes[lane] ?? []
  return answers[turn.shown[lane] ?? answers.length - 1] ?? null
}

/** Shows the branch that goes through a turn, to its newest end. */
export function showTurn(conversation: Conversation, turnId: string): Conversation {
  let head = turnId
  for (;;) {
    const next = Object.values(conversation.turns).findLast(({ parent }) => parent === head)
    if (next === undefined) return touched({ ...conversation, head })
    head = next.id
  }
}

/** A conversation of its own that begins with the branch up to a turn, that turn included. */
export function branchAt(conversation: Conversation, turnId: string, id: string): Conversation {
  const path = pathOf({ ...conversation, head: turnId })
  return touched({
    ...conversation,
    id,
    turns: Object.fromEntries(path.map((turn) => [turn.id, turn])),
    head: turnId,
  })
}

/** The title of the conversation in a list: how it began. */
export function titleOf(conversation: Conversation): string {
  const first = Object.values(conversation.turns).find(({ parent }) => parent === null)
  const text = first?.text.trim().replaceAll(/\s+/g, ' ') ?? ''
  if (text === '') return first === undefined ? 'New conversation' : 'An attachment'
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/**
 * A conversation as it was kept: what an older page has not written is as in a new one, and what was running when the
 * page was left has been cut; its charge is asked for.
 */
export function afterReload(conversation: Conversation): Conversation {
  const turns = Object.values(conversation.turns).map((turn) => ({
    ...turn,
    lanes: turn.lanes.map((answers) =>
      answers.map((kept) => {
        const answer = { ...emptyAnswer(kept.id, kept.model), ...kept }
        return answer.state === 'running' ? { ...answer, state: 'cut' as const } : answer
      }),
    ),
  }))
  const parameters = { ...DEFAULT_PARAMETERS, ...conversation.parameters }
  return { ...conversation, parameters, turns: Object.fromEntries(turns.map((turn) => [turn.id, turn])) }
}

export function answersOf(conversation: Conversation): readonly Answer[] {
  return Object.values(conversation.turns).flatMap(({ lanes }) => lanes.flat())
}

function changeTurn(conversation: Conversation, turnId: string, change: (turn: Turn) => Turn): Conversation {
  const turn = conversation.turns[turnId]
  if (turn === undefined) return conversation
  return touched({ ...conversation, turns: { ...conversation.turns, [turnId]: change(turn) } })
}

function touched(conversation: Conversation): Conversation {
  return { ...conversation, changedAt: Date.now() }
}
