/** `svc keys`: the key in use, those that follow it, and keys of other gateways that shall work here. */
import {
  apiKeyIdForm,
  type ApiKeyBody,
  type Exact,
  type KeyRight,
  ownMember,
  parseInstant,
  shortDecimal,
} from '@svc/contract'
import { checkArgument } from '../check-argument.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { printTable } from '../terminal/print-table.ts'
import { readPipedText } from '../terminal/read-input.ts'
import { timeText } from './usage.ts'

type Key = Exact<ApiKeyBody>

export async function listKeys(context: Context): Promise<void> {
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const list = await client.call(endpoints.listApiKeys, {}, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, list)
    return
  }
  await printTable<Key>(terminal.out, list.data, [
    { title: '', cell: (key) => (key.is_current ? '*' : '') },
    { title: 'NAME', cell: (key) => key.name, shrinkTo: 12 },
    { title: 'STATUS', cell: (key) => key.status },
    { title: 'KEY', cell: (key) => key.display, dropAt: 2 },
    { title: 'SPENT', cell: spentText, align: 'right', dropAt: 1 },
    { title: 'ENDS', cell: ({ expires_at: at }) => (at === null ? '' : timeText(at)), dropAt: 3 },
    { title: 'LAST USED', cell: ({ last_used_at: at }) => (at === null ? '' : timeText(at)), dropAt: 4 },
    { title: 'ID', cell: (key) => key.id, shrinkTo: 8, keepsEnd: true, dropAt: 5 },
  ])
}

/** What all keys of the budget have spent of it. */
function spentText({ budget_used: used, budget_credits: limit }: Key): string {
  return limit === null ? shortDecimal(used) : `${shortDecimal(used)} of ${shortDecimal(limit)}`
}

export interface CreateKeyOptions {
  readonly expires?: string | undefined
  readonly model?: readonly string[] | undefined
  readonly rights?: readonly KeyRight[] | undefined
}

/** Prints the key alone, so that it can be piped where it is needed. */
export async function createKey(context: Context, name: string, options: CreateKeyOptions): Promise<void> {
  const { terminal } = context
  const body = {
    name,
    ...(options.expires === undefined ? {} : { expires_at: endOf(options.expires, Date.now()) }),
    ...(options.model === undefined ? {} : { models: [...options.model] }),
    ...(options.rights === undefined ? {} : { rights: [...options.rights] }),
  }
  const { client, endpoints } = await context.api()
  const made = await client.call(endpoints.createApiKey, { body }, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, made)
    return
  }
  await terminal.out.line(made.key)
  if (context.options.quiet === true) return
  await terminal.notes.line(`It is shown this once. It ends with the key in use, or by: svc keys revoke ${made.id}`)
}

const DAYS_MS: Readonly<{ [unit: string]: number }> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/**
 * "30d" is in thirty days; anything else a date or time.
 *
 * @returns seconds since the epoch.
 */
function endOf(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? []
  if (count !== undefined && unit !== undefined) {
    return Math.floor((now + Number(count) * (DAYS_MS[unit] ?? 0)) / 1_000)
  }
  const at = parseInstant(text)
  if (at !== null) return Math.floor(at / 1_000)
  throw new CommandError(`"${text}" is not a time.`, {
    advice: 'Write a span such as 12h, 30d or 2w, or a date such as 2027-01-31.',
    exitCode: exitCodes.wrongUsage,
  })
}

export async function revokeKey(context: Context, id: string): Promise<void> {
  checkArgument(apiKeyIdForm, id, 'id')
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const reply = await client.call(endpoints.revokeApiKey, { path: { key_id: id } }, { signal: terminal.signal })
  if (context.options.json === true) await printJson(terminal.out, reply)
  else await terminal.notes.line('Revoked, with every key that follows it.')
}

const REASONS: Readonly<Record<string, string>> = {
  already_mirrored: 'It works here already.',
  invalid_key: 'It is not a key, or one that cannot be mirrored.',
  not_permitted: 'The key in use lacks the right `keys`.',
  throttled: 'Too many keys at once. Try again later.',
  unavailable: 'The gateway cannot do it now. Try again later.',
}

/** Makes a key of another gateway valid here. The key comes from a pipe, since others can read arguments. */
export async function mirrorKey(context: Context, name: string): Promise<void> {
  const { terminal } = context
  const raw = await readPipedText(terminal.input)
  if (raw === null) {
    throw new CommandError('There is no key.', {
      advice: 'Pipe it: svc keys mirror NAME < key-file',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const { client, endpoints } = await context.api()
  const body = { raw: raw.trim(), name }
  const reply = await client.call(endpoints.mirrorKey, { body }, { signal: terminal.signal })
  if (context.options.json === true) await printJson(terminal.out, reply)
  else if (reply.mirrored) await terminal.out.line(`The key works here${reply.reason === undefined ? ' now' : ''}.`)
  if (!reply.mirrored) throw new CommandError(ownMember(REASONS, reply.reason) ?? 'The key was not mirrored.')
}
