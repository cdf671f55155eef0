/** What the registry knows of the production packages. It is asked, so the answer may be another one tomorrow. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAdvisories } from '../../tools/production/ask-npm.ts'

const ROOT = join(import.meta.dirname, '../..')

for (const part of ['gateway', 'sandbox'] as const) {
  test(`no advisory names a package of the ${part}`, async ({ skip }) => {
    const advisories = await findAdvisories(ROOT, part)
    if (advisories.kind === 'unanswered') return skip(`the registry has no advisories for us: ${advisories.reason}`)
    expect(advisories.packages).toEqual([])
  })
}
