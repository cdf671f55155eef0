/** The file that keeps profiles: addresses and keys, readable by its owner alone. */
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { CommandError } from '../command-error.ts'

export interface Profile {
  readonly baseUrl: string
  readonly key: string | null
  /** Model of `svc chat` where none is named; null for the built-in one. */
  readonly model: string | null
}

export interface ProfileFile {
  /** The profile that is used where none is named. */
  readonly current: string
  readonly profiles: Readonly<Record<string, Profile>>
  /** Whether conversations and what is typed in them are kept on this machine. */
  readonly keepsHistory: boolean
}

export const DEFAULT_PROFILE = 'default'
const NO_PROFILES: ProfileFile = { current: DEFAULT_PROFILE, profiles: {}, keepsHistory: true }
const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700
const OTHERS = 0o077

/** The folder of settings. Source: XDG base directories; APPDATA on Windows. */
export function settingsFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_CONFIG_HOME, APPDATA } = environment
  if (XDG_CONFIG_HOME !== undefined && path.isAbsolute(XDG_CONFIG_HOME)) return path.join(XDG_CONFIG_HOME, 'svc')
  if (process.platform === 'win32' && APPDATA !== undefined) return path.join(APPDATA, 'svc')
  return path.join(environment['HOME'] ?? homedir(), '.config', 'svc')
}

function fileIn(folder: string): string {
  return path.join(folder, 'profiles.json')
}

/**
 * Reads the profiles; a missing file holds none. Takes away rights that others have on it.
 *
 * @throws {CommandError} when the file is broken or cannot be read.
 */
export function readProfiles(folder: string): ProfileFile {
  const file = fileIn(folder)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    if (process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0) chmodSync(file, OWNER_ONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NO_PROFILES
    throw new CommandError(`${file} cannot be read.`, { advice: 'Check its owner and rights.', cause: error })
  }
  const profiles = parseProfiles(text)
  if (profiles !== null) return profiles
  throw new CommandError(`${file} is not a file of profiles.`, { advice: 'Remove it and sign in again: `svc login`.' })
}

/** Writes the profiles in one step: a process that reads meanwhile sees the old or the new ones, whole. */
export function writeProfiles(folder: string, profiles: ProfileFile): string {
  const file = fileIn(folder)
  const draft = `${file}.${process.pid}.tmp`
  mkdirSync(folder, { recursive: true, mode: FOLDER_OWNER_ONLY })
  try {
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: OWNER_ONLY })
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new CommandError(`${file} cannot be written.`, { advice: 'Check the rights of its folder.', cause })
  }
  return file
}

function parseProfiles(text: string): ProfileFile | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isRecord(value) || typeof value['current'] !== 'string' || !isRecord(value['profiles'])) return null
    const profiles: Record<string, Profile> = {}
    for (const [name, profile] of Object.entries(value['profiles'])) {
      if (!isRecord(profile) || typeof profile['baseUrl'] !== 'string') return null
      const { key, model } = profile
      profiles[name] = {
        baseUrl: profile['baseUrl'],
        key: typeof key === 'string' ? key : null,
        model: typeof model === 'string' ? model : null,
      }
    }
    return { current: value['current'], profiles, keepsHistory: value['keepsHistory'] !== false }
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
