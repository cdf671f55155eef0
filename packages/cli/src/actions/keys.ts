/** `svc keys`: the key in use, and keys of other gateways that shall work here. */
import { ownMember } from '@svc/contract'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { readPipedText } from '../terminal/read-input.ts'

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
