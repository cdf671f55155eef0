import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { VERSION } from './version.ts'

const root = join(import.meta.dirname, '../../../../..')

test('the version is that of every manifest, of the image and the chart, and of the newest release notes', () => {
  const manifests = ['package.json', ...globSync('packages/*/package.json', { cwd: root })]
  expect(manifests.length).toBeGreaterThan(5)
  for (const file of manifests) {
    const { version } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { readonly version: string }
    expect([file, version]).toEqual([file, VERSION])
  }
  expect(/^ARG SVC_VERSION=(.*)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'))?.[1]).toBe(VERSION)
  const chart = readFileSync(join(root, 'deploy/helm/svc/Chart.yaml'), 'utf8')
  for (const field of ['version', 'appVersion']) expect(chart).toContain(`\n${field}: ${VERSION}\n`)
  expect(/^## (\S+)/m.exec(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))?.[1]).toBe(VERSION)
})
