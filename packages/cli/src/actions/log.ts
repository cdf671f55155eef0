/** `svc log`: the keys of the ledger log, and a watch over it. */
import { ApiError } from '@svc/contract'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { openProof } from '@svc/contract/log/open-proof'
import { parseReceipt } from '@svc/contract/log/receipt'
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import { type Tile, tilePath } from '@svc/contract/log/tiles'
import { HASH_BYTES } from '@svc/contract/log/merkle-tree'
import { type LogVerdict, type NamedNote, TileMissingError, watchLog } from '@svc/contract/log/watch-log'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { readLogKeys, readText, wrongFile } from '../files/log-keys.ts'
import { explainError } from '../explain-error.ts'
import {
  type KeptLog,
  keptLogFile,
  readKeptLog,
  withCheckpoint,
  withContradiction,
  writeKeptLog,
} from '../settings/kept-log.ts'
import { pause } from '../terminal/pause.ts'

/** More than any checkpoint or list of keys has. */
const TEXT_BYTES_MAX = 65_536
/** Processes of a gateway may give out checkpoints of their own for a second: a smaller one is asked for again. */
const LOOKS = 5
const LOOK_SECONDS = 1

/** Prints the keys that the gateway says sign its log. */
export async function printLogKeys(context: Context): Promise<void> {
  const api = await context.publicApi()
  const text = await readKeys(context, api)
  await context.terminal.out.line(text.trimEnd())
}

export interface WatchOptions {
  readonly key?: readonly string[]
  readonly file?: string
  readonly once?: boolean
  /** Seconds. */
  readonly every: number
}

/**
 * Looks at the log, again and again or once, and keeps what it says.
 *
 * @param others files with checkpoints or receipts of other people, to which the log must lead as well.
 * @throws {CommandError} as soon as something does not hold: the code for wrong usage where something is no checkpoint.
 */
export async function watchLedgerLog(
  context: Context,
  others: readonly string[],
  options: WatchOptions,
): Promise<void> {
  const api = await context.publicApi()
  const file = options.file ?? keptLogFile(context.settingsFolder, api.settings.baseUrl)
  const given = await readLogKeys(options.key ?? [])
  const notes = await Promise.all(others.map(readNote))
  const { terminal } = context
  for (;;) {
    try {
      await lookAndKeep(context, api, { file, given, notes })
    } catch (error) {
      const explained = explainError(error)
      // The gateway may be away for a while: that says nothing about its log.
      if (options.once === true || explained?.exitCode !== exitCodes.failed) throw error
      if (context.options.quiet !== true) await terminal.notes.line(explained.message)
    }
    if (options.once === true) return
    await pause(options.every, terminal.signal)
  }
}

interface Watch {
  readonly file: string
  readonly given: readonly VerifierKey[]
  readonly notes: readonly NamedNote[]
}

async function lookAndKeep(context: Context, api: ApiConnection, watch: Watch): Promise<void> {
  const kept = readKeptLog(watch.file)
  const keys = trustedKeys(watch, kept)
  const before = kept.checkpoints.map(({ note, seen_at: at }) => ({ name: `the checkpoint kept at ${at}`, note }))
  // What is kept was compared when it came: the last one stands for those before it.
  const looked = await lookUntilNew(context, api, { keys, kept: [...lastOfEach(before), ...watch.notes] })
  const { note, verdict } = looked
  const seen = { seen_at: new Date().toISOString(), note }
  const { finding, holds, message, about, isSigned } = verdict
  const theirs = watch.notes.find(({ name }) => name === about)
  if (holds) writeKeptLog(watch.file, withCheckpoint({ ...kept, keys: keys.map(formatVerifierKey) }, seen))
  else if (isSigned && finding !== 'malformed' && (kept.checkpoints.length > 0 || theirs !== undefined)) {
    const both = [seen, ...(theirs === undefined ? [] : [{ ...seen, note: theirs.note }])]
    writeKeptLog(
      watch.file,
      both.reduce((all, one) => withContradiction(all, { ...one, finding }), kept),
    )
  }
  await report(context, verdict)
  if (holds) return reportCompared(context, watch.notes)
  if (theirs !== undefined && !isSigned) {
    throw new CommandError(sentence(message), {
      advice: 'The log has not signed it, so it says nothing of the log. Watch the log without this file.',
      exitCode: finding === 'malformed' ? exitCodes.wrongUsage : exitCodes.failed,
    })
  }
  if (finding === 'malformed') throw wrongFile(`${sentence(message)} Field: "checkpoint".`)
  const hint = finding === 'unknown_key' || finding === 'other_log' ? await offered(context, api) : ''
  throw new CommandError(`${sentence(message)}${hint}`, {
    advice: `Keep ${watch.file}, which has both checkpoints. docs/trust.md says what to do.`,
  })
}

/** The last of each log: notes begin with its name. */
function lastOfEach(notes: readonly NamedNote[]): readonly NamedNote[] {
  return [...new Map(notes.map((named) => [named.note.split('\n')[0], named])).values()]
}

/** The keys that are kept and those that are given: these are kept from now on. */
function trustedKeys({ file, given }: Watch, kept: KeptLog): readonly VerifierKey[] {
  const known = kept.keys.map((text) => {
    const key = parseVerifierKey(nodeCrypto.sha256, text)
    if (key === null) throw wrongFile(`${file}: "keys" holds something that is no key of a ledger log.`)
    return key
  })
  const texts = new Set(kept.keys)
  const keys = [...known, ...given.filter((key) => !texts.has(formatVerifierKey(key)))]
  if (keys.length > 0) return keys
  throw new CommandError('No key of the log is known yet.', {
    advice:
      'Give one that you trust with --key. `svc log key` prints those that the gateway names: compare them with what its operator says elsewhere.',
    exitCode: exitCodes.wrongUsage,
  })
}

/** Looks; where another process of the gateway is behind, looks again. */
async function lookUntilNew(
  { terminal }: Context,
  { client, endpoints }: ApiConnection,
  compared: { readonly keys: readonly VerifierKey[]; readonly kept: readonly NamedNote[] },
): Promise<{ readonly note: string; readonly verdict: LogVerdict }> {
  const { signal } = terminal
  const readTile = async (tile: Tile): Promise<Uint8Array> => {
    const path = tilePath(tile)
    try {
      const reply = await client.open(endpoints.getLogTile, { path: { id: path.slice('tile/'.length) } }, { signal })
      const bytes = await readBytes(reply.bytes, tile.width * HASH_BYTES)
      if (bytes.length === tile.width * HASH_BYTES) return bytes
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'file_not_found') throw error
    }
    throw new TileMissingError(path)
  }
  for (let look = 1; ; look++) {
    const reply = await client.open(endpoints.getLogCheckpoint, {}, { signal })
    const note = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readBytes(reply.bytes, TEXT_BYTES_MAX))
    const verdict = await watchLog(nodeCrypto, { ...compared, note, readTile })
    const mayPass = verdict.finding === 'shorter' || verdict.finding === 'tiles_missing'
    if (!mayPass || look === LOOKS) return { note, verdict }
    await pause(LOOK_SECONDS, signal)
  }
}

/** Reads at most so many bytes, and one more where there are more. */
async function readBytes(bytes: AsyncIterable<Uint8Array>, most: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    length += piece.length
    if (length > most) break
  }
  return new Uint8Array(Buffer.concat(pieces).subarray(0, most + 1))
}

async function readKeys({ terminal }: Context, { client, endpoints }: ApiConnection): Promise<string> {
  const reply = await client.open(endpoints.getLogKey, {}, { signal: terminal.signal })
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readBytes(reply.bytes, TEXT_BYTES_MAX))
}

/** What the gateway says of its keys, to compare with what the operator says elsewhere. */
async function offered(context: Context, api: ApiConnection): Promise<string> {
  const keys = (await readKeys(context, api)).trim().split('\n')
  return ` The gateway names ${keys.join(' and ')}: ask its operator, by a way that you trust, before you give it with --key.`
}

async function report({ options, terminal }: Context, { finding, holds, message, head }: LogVerdict): Promise<void> {
  if (options.json === true) {
    const now = head === null ? null : { origin: head.origin, size: head.size, statements: head.extensions }
    await terminal.out.line(JSON.stringify({ finding, holds, message, checkpoint: now }))
    return
  }
  await terminal.out.line(`${holds ? 'holds' : 'FALSE'}  ${finding}: ${message}`)
  for (const statement of head?.extensions ?? []) await terminal.out.line(`note   the log states: ${statement}`)
}

/** Says what was compared: a receipt has more than its checkpoint, and is not checked by this. */
async function reportCompared({ options, terminal }: Context, notes: readonly NamedNote[]): Promise<void> {
  if (options.json === true) return
  for (const { name } of notes) await terminal.out.line(`holds  compared: ${name} is a part of the log`)
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`
}

/** A checkpoint of somebody else: alone, or within a receipt. */
async function readNote(file: string): Promise<NamedNote> {
  const text = await readText(file)
  const name = `the checkpoint in ${file}`
  if (!text.trimStart().startsWith('{')) return { name, note: text }
  const parsed = parseReceipt(text)
  const proof = 'receipt' in parsed ? openProof(parsed.receipt.proof) : null
  if (proof !== null) return { name, note: proof.checkpoint }
  const problem = 'problem' in parsed ? parsed.problem.message : 'its field "proof" is wrong'
  throw wrongFile(`${file} is neither a checkpoint nor a receipt: ${problem}.`)
}
