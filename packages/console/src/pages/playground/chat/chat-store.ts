/**
 * The conversations of a person in a team, outside of the pages: answers go on while the person looks at another page.
 */
import type { Client, Exact, TeamUsageRecord } from '@svc/contract'
import { keep, listKept, type Owner, removeKept, removeOthers } from '../kept-things.ts'
import { newId } from '../../../api/new-id.ts'
import { dropKey, playClient, playKeyId } from '../pay/play-client.ts'
import { findLost, readCharge } from '../pay/read-charge.ts'
import { type ChatBody, chatBodyOf } from './chat-request.ts'
import * as tree from './conversation.ts'
import type { Answer, Attachment, Conversation, Parameters } from './conversation.ts'
import { runChat, withRecord } from './run-chat.ts'
import { messagesOfRound, ROUNDS_MAX, scriptedReplies, withReplies } from './tool-rounds.ts'

export interface ChatState {
  /** False until what the browser kept has been read. */
  readonly isReady: boolean
  /** Newest first. */
  readonly conversations: readonly Conversation[]
  readonly currentId: string
}

/** One answer that is to be had. */
interface Asked extends Pick<Answer, 'id' | 'model'> {
  readonly name: string
  readonly body: ChatBody
  readonly signal: AbortSignal
}

const KEEP_MS = 1_000
/** Keeping copies a whole conversation: one with a long answer under way waits for its end. */
const KEEP_LONG_MS = 30_000
const LONG = 1_000_000

export class ChatStore {
  readonly #owner: Owner
  readonly #listeners = new Set<() => void>()
  readonly #running = new Map<string, AbortController>()
  readonly #unkept = new Set<string>()
  #keepTimer: ReturnType<typeof setTimeout> | null = null
  #state: ChatState
  /** Called whenever a charge has become known. */
  onCharged: () => void = () => undefined

  constructor(owner: Owner, models: readonly string[]) {
    this.#owner = owner
    const first = tree.emptyConversation(newId(), models)
    this.#state = { isReady: false, conversations: [first], currentId: first.id }
    addEventListener('pagehide', () => this.#keepNow())
    void this.#load()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): ChatState => this.#state

  get current(): Conversation {
    const { conversations, currentId } = this.#state
    return conversations.find(({ id }) => id === currentId) ?? (conversations[0] as Conversation)
  }

  async #load(): Promise<void> {
    await removeOthers(this.#owner.userId)
    const kept = (await listKept<Conversation>(this.#owner, 'conversation')).map(tree.afterReload)
    const { conversations } = this.#state
    const [fresh] = conversations
    const begun = conversations.filter(({ head }) => head !== null)
    const all = [...begun, ...kept]
    const shown = all[0] ?? (fresh as Conversation)
    this.#set({ isReady: true, conversations: all.length === 0 ? conversations : all, currentId: shown.id })
    for (const answer of kept.flatMap(tree.answersOf)) {
      if (answer.state === 'cut' && answer.charge === null) void this.#settle(answer.id, answer.requestId)
    }
  }

  async #settle(answerId: string, requestId: string | null): Promise<void> {
    if (requestId === null) return
    const record = await readCharge(this.#owner.teamId, requestId)
    this.#changeAnswer(answerId, (answer) => withRecord(answer, record))
    this.onCharged()
  }

  /** Sends a message to every model of the conversation. */
  send(message: { readonly text: string; readonly images: readonly Attachment[] }, parent?: string | null): void {
    const id = newId()
    this.#change((conversation) =>
      parent === undefined
        ? tree.addTurn(conversation, { ...message, id })
        : tree.addTurn(conversation, { ...message, id }, parent),
    )
    for (const lane of this.current.models.keys()) this.#answer(id, lane)
  }

  /** Asks a lane once more; what it said before can still be shown. Later turns stay with the earlier answer. */
  retry(turnId: string, lane: number): void {
    this.#answer(turnId, lane)
  }

  /** Goes on with an answer whose tools the person answers. */
  reply(turnId: string, lane: number, answer: Answer, replies: readonly string[]): void {
    const body = chatBodyOf({ ...this.current, head: turnId }, lane)
    this.#changeAnswer(answer.id, (before) => withReplies(before, replies))
    this.#run(answer, body, newId())
  }

  #answer(turnId: string, lane: number): void {
    const conversation = this.current
    const model = conversation.models[lane] ?? ''
    const answer = tree.emptyAnswer(newId(), model)
    this.#change((before) => tree.addAnswer(before, turnId, lane, answer))
    this.#run(answer, chatBodyOf({ ...conversation, head: turnId }, lane), answer.id)
  }

  /** @param body what is asked before any tool was called. @param name of the first request. */
  #run({ id, model }: Answer, body: ChatBody, name: string): void {
    const controller = new AbortController()
    this.#running.set(id, controller)
    void this.#askUntilDone({ id, model, name, body, signal: controller.signal }).finally(() => {
      this.#running.delete(id)
      this.#keepNow()
      this.onCharged()
    })
  }

  /** Asks, and asks again with the replies of tools as long as these are written down. */
  async #askUntilDone({ id, model, name, body, signal }: Asked): Promise<void> {
    const { tools } = this.current.parameters
    for (let count = 1; ; count += 1) {
      const sentAt = Date.now()
      const deps = {
        name: count === 1 ? name : newId(),
        client: () => this.#client(),
        tell: (change: (answer: Answer) => Answer) => this.#changeAnswer(id, change),
        charge: (requestId: string | null) => this.#chargeOf(requestId, { model, sentAt }),
      }
      const messages = [...body.messages, ...(this.#find(id)?.rounds ?? []).flatMap(messagesOfRound)]
      await runChat(deps, { ...body, messages, stream_options: { include_usage: true } }, signal)
      const answer = this.#find(id)
      const replies = answer === undefined || count >= ROUNDS_MAX ? null : scriptedReplies(answer, tools)
      if (replies === null || signal.aborted) return
      this.#changeAnswer(id, (before) => withReplies(before, replies))
    }
  }

  #find(answerId: string): Answer | undefined {
    return this.#state.conversations.flatMap(tree.answersOf).find(({ id }) => id === answerId)
  }

  async #client(): Promise<Client> {
    return playClient(this.#owner.teamId)
  }

  async #chargeOf(
    requestId: string | null,
    sent: { readonly model: string; readonly sentAt: number },
  ): Promise<Exact<TeamUsageRecord> | null | undefined> {
    const { teamId } = this.#owner
    if (requestId !== null) return readCharge(teamId, requestId)
    const keyId = playKeyId(teamId)
    if (keyId === null) return null
    const answers = this.#state.conversations.flatMap(tree.answersOf)
    return findLost(teamId, { ...sent, keyId, isTaken: (id) => answers.some((each) => each.requestId === id) })
  }

  /** Ends what runs in the conversation that is shown. What had come is charged. */
  stop(): void {
    const answers = new Set(tree.answersOf(this.current).map(({ id }) => id))
    for (const [id, controller] of this.#running) if (answers.has(id)) controller.abort()
  }

  /** Ends everything, since the person signs out. */
  close(): void {
    for (const controller of this.#running.values()) controller.abort()
    if (this.#keepTimer !== null) clearTimeout(this.#keepTimer)
    this.#unkept.clear()
    this.#listeners.clear()
  }

  setModels(models: readonly string[]): void {
    this.#change((conversation) => ({ ...conversation, models }))
  }

  setParameters(parameters: Parameters): void {
    this.#change((conversation) => ({ ...conversation, parameters }))
  }

  showTurn(turnId: string): void {
    this.#change((conversation) => tree.showTurn(conversation, turnId))
  }

  showAnswer(turnId: string, lane: number, at: number): void {
    this.#change((conversation) => tree.showAnswer(conversation, turnId, lane, at))
  }

  branch(turnId: string): void {
    this.#open(tree.branchAt(this.current, turnId, newId()))
  }

  startNew(): void {
    const { models, parameters, head } = this.current
    if (head !== null) this.#open(tree.emptyConversation(newId(), models, parameters))
  }

  select(id: string): void {
    const { conversations } = this.#state
    const kept = conversations.filter(({ id: each, head }) => head !== null || each === id)
    this.#set({ ...this.#state, conversations: kept, currentId: id })
  }

  remove(id: string): void {
    if (id === this.current.id) this.stop()
    const rest = this.#state.conversations.filter((each) => each.id !== id)
    const { models, parameters } = this.current
    const [next = tree.emptyConversation(newId(), models, parameters), ...others] = rest
    const currentId = id === this.#state.currentId ? next.id : this.#state.currentId
    this.#unkept.delete(id)
    this.#set({ ...this.#state, conversations: [next, ...others], currentId })
    void removeKept(this.#owner, 'conversation', id)
  }

  #open(conversation: Conversation): void {
    const conversations = [conversation, ...this.#state.conversations.filter(({ head }) => head !== null)]
    this.#set({ ...this.#state, conversations, currentId: conversation.id })
    this.#keepSoon(conversation.id)
  }

  #change(change: (conversation: Conversation) => Conversation): void {
    this.#changeOne(this.current.id, change)
  }

  #changeAnswer(answerId: string, change: (answer: Answer) => Answer): void {
    const holder = this.#state.conversations.find((each) => tree.answersOf(each).some(({ id }) => id === answerId))
    if (holder === undefined) return
    this.#changeOne(holder.id, (conversation) => tree.changeAnswer(conversation, answerId, change))
    const code = tree.answersOf(this.current).find(({ id }) => id === answerId)?.failure?.code
    if (code === 'invalid_api_key') dropKey(this.#owner.teamId)
  }

  #changeOne(id: string, change: (conversation: Conversation) => Conversation): void {
    const conversations = this.#state.conversations.map((each) => (each.id === id ? change(each) : each))
    this.#set({ ...this.#state, conversations })
    this.#keepSoon(id)
  }

  #set(state: ChatState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }

  #keepSoon(id: string): void {
    this.#unkept.add(id)
    this.#keepTimer ??= setTimeout(() => this.#keepNow(), this.#isLongUnderWay() ? KEEP_LONG_MS : KEEP_MS)
  }

  #isLongUnderWay(): boolean {
    return this.#running.size > 0 && tree.answersOf(this.current).some(({ text }) => text.length > LONG)
  }

  #keepNow(): void {
    if (this.#keepTimer !== null) clearTimeout(this.#keepTimer)
    this.#keepTimer = null
    for (const conversation of this.#state.conversations) {
      if (!this.#unkept.has(conversation.id) || conversation.head === null) continue
      void keep(this.#owner, 'conversation', Object.assign({ at: conversation.changedAt }, conversation))
    }
    this.#unkept.clear()
  }
}

const stores = new Map<string, ChatStore>()

/** The one store of a person in a team. @param models what a first conversation asks. */
export function chatStoreOf(owner: Owner, models: readonly string[]): ChatStore {
  const key = `${owner.userId}/${owner.teamId}`
  const store = stores.get(key) ?? new ChatStore(owner, models)
  stores.set(key, store)
  return store
}

export function closeChatStores(): void {
  for (const store of stores.values()) store.close()
  stores.clear()
}
