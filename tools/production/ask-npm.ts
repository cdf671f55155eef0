/** What npm says of a part of the repository: its bill of materials, and advisories that the registry has. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type PartName, writePart } from './parts.ts'

/** A registry that does not answer is asked again by npm itself. In milliseconds. */
const NPM_MS_MAX = 120_000
const OUTPUT_BYTES_MAX = 50_000_000

/** The SBOM of a part as CycloneDX, in JSON. Needs no network. @throws {Error} with what npm says. */
export async function billOfMaterials(root: string, name: PartName): Promise<string> {
  const { code, out, error } = await askNpm(root, name, ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'])
  if (code !== 0) throw new Error(`npm made no bill of materials: ${error.trim()}`)
  return out
}

/** Advisories on the packages of a part by the names of these, or why the registry did not say. */
export type Advisories =
  | { readonly kind: 'known'; readonly packages: readonly string[] }
  | { readonly kind: 'unanswered'; readonly reason: string }

/** Asks the registry. */
export async function findAdvisories(root: string, name: PartName): Promise<Advisories> {
  const { out, error } = await askNpm(root, name, ['audit', '--package-lock-only', '--json'])
  try {
    const { vulnerabilities, message } = JSON.parse(out) as {
      readonly vulnerabilities?: Readonly<Record<string, unknown>>
      readonly message?: string
    }
    if (vulnerabilities !== undefined) return { kind: 'known', packages: Object.keys(vulnerabilities) }
    // Without the registry's address, which is a matter of the machine.
    return { kind: 'unanswered', reason: (message ?? error).split(' - ')[0]?.trim() ?? '' }
  } catch {
    return { kind: 'unanswered', reason: error.trim().split('\n')[0] ?? '' }
  }
}

interface Answer {
  readonly code: number
  readonly out: string
  readonly error: string
}

async function askNpm(root: string, name: PartName, words: readonly string[]): Promise<Answer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-part-'))
  try {
    writePart(root, name, folder)
    return await new Promise<Answer>((resolve) => {
      const options = { cwd: folder, timeout: NPM_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX }
      execFile('npm', [...words], options, (failure, out, error) =>
        resolve({ code: failure === null ? 0 : Number(failure.code ?? 1), out, error }),
      )
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
