/** A version of the server that is still to come: this tree's program with more migrations, in a folder of its own. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** What is of a version itself; the rest of the server is linked. */
const COPIED: ReadonlySet<string> = new Set(['src', 'migrations', 'package.json'])

/** What a version to come adds to the schema of PostgreSQL. */
export interface SchemaChange {
  /** Numbered files by name. */
  readonly migrations: Readonly<Record<string, string>>
  /** What becomes of a function's file, by name. */
  readonly functions?: Readonly<Record<string, (sql: string) => string>>
}

export interface NextVersion {
  /** The folder of its sources. */
  readonly sources: string
  readonly main: string
  remove(): Promise<void>
}

/** Makes one out of this tree and the changes of all versions up to it. */
export async function makeNextVersion(changes: readonly SchemaChange[]): Promise<NextVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-next-'))
  const server = join(folder, 'packages/server')
  await mkdir(server, { recursive: true })
  for (const name of await readdir(ROOT)) {
    if (name !== 'packages' && !name.startsWith('.')) await symlink(join(ROOT, name), join(folder, name))
  }
  for (const name of await readdir(join(ROOT, 'packages'))) {
    if (name !== 'server') await symlink(join(ROOT, 'packages', name), join(folder, 'packages', name))
  }
  for (const name of await readdir(join(ROOT, 'packages/server'))) {
    const from = join(ROOT, 'packages/server', name)
    if (COPIED.has(name)) await cp(from, join(server, name), { recursive: true })
    else await symlink(from, join(server, name))
  }
  const migrations = join(server, 'migrations/postgres')
  for (const change of changes) {
    for (const [name, sql] of Object.entries(change.migrations)) await writeFile(join(migrations, name), sql)
    for (const [name, become] of Object.entries(change.functions ?? {})) {
      const path = join(migrations, 'functions', name)
      const before = await readFile(path, 'utf8')
      const after = become(before)
      if (after === before) throw new Error(`${name} has not become another function`)
      await writeFile(path, after)
    }
  }
  const sources = join(server, 'src')
  return { sources, main: join(sources, 'main.ts'), remove: () => rm(folder, { recursive: true, force: true }) }
}
