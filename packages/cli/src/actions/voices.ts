/** `svc voices`: the voices of the models that speak. */
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { printTable } from '../terminal/print-table.ts'

/** @param asked the id of a model, or an alias; undefined for all. */
export async function voices(context: Context, asked: string | undefined): Promise<void> {
  const { client, endpoints } = await context.publicApi()
  const { terminal, options } = context
  const list = await client.call(endpoints.listModels, { query: { type: 'speech' } }, { signal: terminal.signal })
  const found = list.data.filter(({ id, svc }) => asked === undefined || id === asked || svc.aliases.includes(asked))
  const [first] = found
  if (first === undefined && asked !== undefined) {
    throw new CommandError(`No model "${asked}" speaks here.`, {
      advice: '`svc voices` lists those that do.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const rows = found.map(({ id, svc }) => ({ model: id, voices: svc.voices ?? [] }))
  if (options.json === true) await printJson(terminal.out, rows)
  else if (asked === undefined) await printAll(context, rows)
  else await printOne(context, rows[0]?.voices ?? [])
}

async function printAll(
  { terminal }: Context,
  rows: readonly { readonly model: string; readonly voices: readonly string[] }[],
): Promise<void> {
  if (rows.length === 0) {
    await terminal.notes.line('No model speaks here.')
    return
  }
  await printTable(terminal.out, rows, [
    { title: 'MODEL', cell: ({ model }) => model, shrinkTo: 24, keepsEnd: true },
    { title: 'VOICES', cell: (row) => String(row.voices.length), align: 'right' },
    { title: 'NAMES', cell: (row) => row.voices.join(', '), shrinkTo: 8 },
  ])
}

/** The model's own first choice comes first. */
async function printOne({ terminal, options }: Context, names: readonly string[]): Promise<void> {
  for (const name of names) await terminal.out.line(name)
  if (names.length > 0 || options.quiet === true) return
  await terminal.notes.line("Its upstream lists no voices. OpenAI's names, such as alloy, may work.")
}
