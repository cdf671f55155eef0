/** Fetches the packages of a client, at their exact versions, into a folder of its own outside the tree. */
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Client, Language, LibraryClient } from './client.ts'
import { type ProgramStart, runProgram } from './run-program.ts'

const SCRIPTS = path.join(import.meta.dirname, 'scripts')
/** The longest that one step may take, in milliseconds: a compiler on a busy machine needs minutes. */
const STEP_MS_MAX = 1_200_000

type Step = Pick<ProgramStart, 'command' | 'words'>

/** Whichever of its tools fetch and build what a language needs. */
const steps: Readonly<Record<Language, (client: Client) => readonly Step[]>> = {
  python: ({ packages }) => [
    { command: 'python3', words: ['-m', 'venv', 'venv'] },
    { command: 'venv/bin/pip', words: ['install', '--quiet', ...packages] },
  ],
  node: ({ packages }) => [
    { command: 'npm', words: ['install', '--prefix', '.', '--no-audit', '--no-fund', '--save-exact', ...packages] },
  ],
  go: ({ packages }) => [
    { command: 'go', words: ['get', ...packages] },
    { command: 'go', words: ['build', '-o', 'client', '.'] },
  ],
  rust: () => [{ command: 'cargo', words: ['build', '--quiet'] }],
  java: () => [
    { command: 'mvn', words: ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'] },
    { command: 'javac', words: ['-cp', 'lib/*', '-d', 'classes', 'Client.java'] },
  ],
}

/** How the program of a library is started in the folder of its packages. */
const starters: Readonly<Record<Language, (script: string) => Step>> = {
  python: (script) => ({ command: 'venv/bin/python', words: [script] }),
  node: (script) => ({ command: process.execPath, words: [script] }),
  go: () => ({ command: './client', words: [] }),
  rust: () => ({ command: 'target/debug/client', words: [] }),
  java: () => ({ command: 'java', words: ['-cp', 'classes:lib/*', 'Client'] }),
}

export function starterOf({ language, script }: LibraryClient, folder: string): Step {
  const { command, words } = starters[language](script)
  // A command that is a path is one of the folder.
  return { words, command: command.includes('/') ? path.resolve(folder, command) : command }
}

/** Copies our programs into the folder: each language looks for packages beside its sources. */
async function copyScripts(client: Client, folder: string): Promise<void> {
  if (client.kind === 'agent') return
  const own = path.join(SCRIPTS, client.language)
  const files = (await readdir(own, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  for (const { parentPath, name } of files) {
    const to = path.join(folder, path.relative(own, parentPath), name)
    await mkdir(path.dirname(to), { recursive: true })
    await copyFile(path.join(parentPath, name), to)
  }
}

/**
 * Installs a client; one that is there at the same versions is kept.
 *
 * @returns why it could not be installed, or null.
 */
export async function installClient(client: Client, folder: string): Promise<string | null> {
  const stamp = path.join(folder, 'installed.txt')
  const wanted = client.packages.join('\n')
  await mkdir(folder, { recursive: true })
  await copyScripts(client, folder)
  const isThere = (await readFile(stamp, 'utf8').catch(() => '')) === wanted
  // Programs that are compiled are built again: theirs may have changed.
  const isCompiled = ['go', 'rust', 'java'].includes(client.language)
  if (isThere && !isCompiled) return null
  for (const step of steps[client.language](client)) {
    const command = step.command.includes('/') ? path.resolve(folder, step.command) : step.command
    // With the settings of the machine: they say where its registries are.
    const ran = await runProgram({ ...step, command, cwd: folder, env: process.env, withinMs: STEP_MS_MAX })
    if (ran.code !== 0) return lastLine(ran.error) ?? lastLine(ran.out) ?? `${step.command} ended with ${ran.code}`
  }
  await writeFile(stamp, wanted)
  return null
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1) || undefined
}
