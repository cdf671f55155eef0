/** `svc profiles`: the gateways that this machine knows. */
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { readProfiles, writeProfiles } from '../settings/profile-file.ts'
import { printTable } from '../terminal/print-table.ts'

export async function listProfiles(context: Context): Promise<void> {
  const { current, profiles } = readProfiles(context.settingsFolder)
  const rows = Object.entries(profiles).map(([name, { baseUrl, key, model }]) => ({
    name,
    current: name === current,
    base_url: baseUrl,
    has_key: key !== null,
    model,
  }))
  if (context.options.json === true) {
    await printJson(context.terminal.out, rows)
    return
  }
  if (rows.length === 0) await context.terminal.notes.line('No profiles yet: svc login')
  else {
    await printTable(context.terminal.out, rows, [
      { title: '', cell: (row) => (row.current ? '*' : '') },
      { title: 'NAME', cell: (row) => row.name },
      { title: 'GATEWAY', cell: (row) => row.base_url, shrinkTo: 20 },
      { title: 'MODEL', cell: (row) => row.model ?? '', dropAt: 1 },
    ])
  }
}

/** Makes a profile the one that is used where none is named. */
export async function useProfile(context: Context, name: string): Promise<void> {
  const file = readProfiles(context.settingsFolder)
  if (file.profiles[name] === undefined) {
    throw new CommandError(`There is no profile "${name}".`, {
      advice: '`svc profiles` shows them.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  writeProfiles(context.settingsFolder, { ...file, current: name })
  await context.terminal.notes.line(`Using "${name}" from now on.`)
}
