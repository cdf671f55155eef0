/** Calls of tools in the output of a `response`, in the form that the client has offered each tool in. */
import type { OutputItemType } from '@svc/contract'
import { type AnswerHead, recordOf } from '../translated-chat.ts'
import { CustomInput } from './custom-input.ts'
import { localCall, type LocalKind, localKindOf } from './local-tools.ts'
import type { OwnTool } from './offered-tools.ts'
import { type ItemKind, itemId } from './response-object.ts'
import type { ItemPlace, ItemStatus, OutputItem } from './response-items.ts'

type Fields = Readonly<Record<string, unknown>>

const forms: Readonly<Record<OwnTool['kind'], { readonly type: OutputItemType; readonly id: ItemKind }>> = {
  function: { type: 'function_call', id: 'fc' },
  custom: { type: 'custom_tool_call', id: 'ctc' },
  tool_search: { type: 'tool_search_call', id: 'tsc' },
  local_shell: { type: 'local_shell_call', id: 'lsh' },
  shell: { type: 'shell_call', id: 'sh' },
  apply_patch: { type: 'apply_patch_call', id: 'apc' },
  computer: { type: 'computer_call', id: 'cu' },
  computer_use_preview: { type: 'computer_call', id: 'cu' },
}

/** The id of a call's item. @param place in the output. */
export function callItemId({ kind }: OwnTool, head: AnswerHead, place: number): string {
  return itemId(forms[kind].id, head, place)
}

function isLocal(kind: OwnTool['kind']): kind is LocalKind {
  return localKindOf({ type: kind }) !== null
}

interface Called {
  readonly id: string
  /** By which its output names it. */
  readonly callId: string
  readonly status: ItemStatus
  /** JSON text; of a custom tool the text that was read from it. */
  readonly said: string
}

/** The arguments of a search or of a known tool; empty where they are no object, or none yet. */
function objectIn(json: string): Fields {
  try {
    return recordOf(JSON.parse(json))
  } catch {
    return {}
  }
}

function saidOf({ kind, name, namespace }: OwnTool, said: string): Fields {
  if (kind === 'tool_search') return { execution: 'client', arguments: objectIn(said) }
  if (isLocal(kind)) return localCall(kind, objectIn(said))
  const named = namespace === null ? { name } : { name, namespace }
  return kind === 'custom' ? { ...named, input: said } : { ...named, arguments: said }
}

function itemOf(tool: OwnTool, { id, callId, status, said }: Called): Fields {
  return { id, type: forms[tool.kind].type, status, call_id: callId, ...saidOf(tool, said) }
}

/** The item of a whole call. @param call whose `said` are the arguments of the function. */
export function renderCall(tool: OwnTool, call: Called): Fields {
  if (tool.kind !== 'custom') return itemOf(tool, call)
  const input = new CustomInput()
  input.push(call.said)
  input.end()
  return itemOf(tool, { ...call, said: input.text })
}

/** What the events of a call are called. Others have none: they are sent whole. */
const events: Readonly<Partial<Record<OwnTool['kind'], string>>> = {
  function: 'response.function_call_arguments',
  custom: 'response.custom_tool_call_input',
}

/** A call that is streamed. */
export class CallItem implements OutputItem {
  readonly #place: ItemPlace
  readonly #tool: OwnTool
  readonly #id: string
  readonly #callId: string
  /** As the upstream gave it, without what goes with it. */
  readonly upstreamId: string
  readonly #input: CustomInput | null
  #arguments = ''
  #status: ItemStatus = 'in_progress'

  /** @param ids that the upstream gave, with what goes with it and without; null for none. */
  constructor(
    place: ItemPlace,
    tool: OwnTool,
    ids: { readonly callId: string | null; readonly upstreamId: string | null },
  ) {
    this.#place = place
    this.#tool = tool
    this.#id = callItemId(tool, place.head, place.index)
    this.#callId = ids.callId ?? this.#id
    this.upstreamId = ids.upstreamId ?? this.#id
    this.#input = tool.kind === 'custom' ? new CustomInput() : null
    // Readers of a known tool's call need all of its members at once, which come at its end.
    if (!isLocal(tool.kind)) this.#begin()
  }

  add(text: string): void {
    if (this.#input === null) this.#arguments += text
    this.#delta(this.#input === null ? text : this.#input.push(text))
  }

  close(status: Exclude<ItemStatus, 'in_progress'>): void {
    if (this.#status !== 'in_progress') return
    if (this.#input !== null) this.#delta(this.#input.end())
    if (isLocal(this.#tool.kind)) this.#begin()
    this.#done()
    this.#status = status
    this.#place.send('response.output_item.done', { output_index: this.#place.index, item: this.render() })
  }

  render(): Fields {
    const said = this.#input === null ? this.#arguments : this.#input.text
    return itemOf(this.#tool, { id: this.#id, callId: this.#callId, status: this.#status, said })
  }

  #begin(): void {
    this.#place.send('response.output_item.added', { output_index: this.#place.index, item: this.render() })
  }

  #delta(delta: string): void {
    if (delta !== '') this.#send('delta', { delta })
  }

  #done(): void {
    if (this.#input !== null) this.#send('done', { input: this.#input.text })
    else this.#send('done', { name: this.#tool.name, arguments: this.#arguments })
  }

  #send(what: 'delta' | 'done', event: Fields): void {
    const name = events[this.#tool.kind]
    if (name === undefined) return
    this.#place.send(`${name}.${what}`, { item_id: this.#id, output_index: this.#place.index, ...event })
  }
}
