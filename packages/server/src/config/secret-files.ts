/**
 * Secrets that are given as files, as Docker, Kubernetes and systemd hand them to a process: for a secret `NAME` the
 * variable `NAME_FILE` holds the path of a file whose content is the value. Source: decision 0138.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'

type Variables = Readonly<Record<string, string | undefined>>

/** Far more than any secret has, and little enough to read before anything else. Source: own choice. */
const SECRET_FILE_BYTES_MAX = 65_536

/** What the message of a failed read says, by the code of the system. */
const FAILURES: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that does not exist',
  ENOTDIR: 'names a file that does not exist',
  EACCES: 'names a file that this process may not read',
  EPERM: 'names a file that this process may not read',
  ELOOP: 'names a link that leads nowhere',
  ENAMETOOLONG: 'is no path: give the path of a file, and the secret itself in the variable without _FILE',
}

export interface SecretsFromFiles {
  /** The variables, with the values from files in place of the names of those files. */
  readonly env: Variables
  /** Sentences that name the variable, and neither the path nor anything of the file: a path may be a secret by mistake. */
  readonly problems: readonly string[]
}

/** The variable that names the file of a secret. */
export function fileVariableOf(name: string): string {
  return `${name}_FILE`
}

/**
 * Puts the contents of the files in place, without the line end at the end.
 *
 * @param names of the secrets. Those without a file stay as they are.
 * @param workingDir what relative paths are relative to.
 */
export function readSecretFiles(env: Variables, names: readonly string[], workingDir: string): SecretsFromFiles {
  const values: Record<string, string | undefined> = { ...env }
  const problems: string[] = []
  for (const name of new Set(names)) {
    const fileVariable = fileVariableOf(name)
    // A secret may itself have a name that ends so.
    if (names.includes(fileVariable)) continue
    const path = isGiven(env[fileVariable]) ? env[fileVariable].trim() : null
    delete values[fileVariable]
    if (path === null) continue
    if (isGiven(env[name])) {
      problems.push(`${name} and ${fileVariable} are both set. Give one of them.`)
      continue
    }
    const read = readSecret(resolve(workingDir, path))
    if (read.kind === 'read') values[name] = read.secret
    else problems.push(`${fileVariable} ${read.problem}.`)
  }
  return { env: values, problems }
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}

type ReadSecret =
  | { readonly kind: 'read'; readonly secret: string }
  | { readonly kind: 'wrong'; readonly problem: string }

const wrong = (problem: string): ReadSecret => ({ kind: 'wrong', problem })

function readSecret(path: string): ReadSecret {
  try {
    const bytes = readBounded(path)
    if (bytes === null) return wrong('names a folder or a device, not a file')
    if (bytes.length > SECRET_FILE_BYTES_MAX) {
      return wrong(`names a file of more than ${SECRET_FILE_BYTES_MAX / 1_024} KiB, which is no secret`)
    }
    return secretFrom(bytes)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    return wrong(FAILURES[code] ?? `names a file that cannot be read${code === '' ? '' : ` (${code})`}`)
  }
}

/** Reads at most one byte more than is allowed; null for what is no file. Never waits, also where a pipe is named. */
function readBounded(path: string): Buffer | null {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    if (!fstatSync(file).isFile()) return null
    const bytes = Buffer.alloc(SECRET_FILE_BYTES_MAX + 1)
    let length = 0
    for (;;) {
      const count = readSync(file, bytes, length, bytes.length - length, null)
      length += count
      if (count === 0 || length === bytes.length) return bytes.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}

function secretFrom(bytes: Buffer): ReadSecret {
  const text = decodeText(bytes)
  if (text === null) return wrong('names a file that is not text')
  const secret = text.replace(/\r?\n$/, '')
  if (secret.trim() === '') return wrong('names an empty file')
  return /[\r\n]/.test(secret)
    ? wrong('names a file of more than one line; its one line is to be the secret')
    : { kind: 'read', secret }
}

function decodeText(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}
