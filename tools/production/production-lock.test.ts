import path from 'node:path'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { secretNames } from '../../packages/server/src/config/environment.ts'
import { renderEnvExample } from './env-example.ts'
import { readPartLock } from './parts.ts'
import { type LockFile, listInstallScripts, productionLock } from './production-lock.ts'

const root = path.join(import.meta.dirname, '../..')

const lock: LockFile = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'whole', version: '1.0.0' },
    'node_modules/@own/server': { link: true, resolved: 'packages/server' },
    'node_modules/@own/extra': { link: true, resolved: 'packages/extra' },
    'packages/server': {
      name: '@own/server',
      dependencies: { one: '1.0.0', two: '1.0.0' },
      devDependencies: { tool: '1.0.0' },
      optionalDependencies: { '@own/extra': '1.0.0', built: '1.0.0', gone: '1.0.0' },
    },
    'packages/server/node_modules/two': { version: '2.0.0' },
    'packages/extra': { name: '@own/extra', dependencies: { media: '1.0.0' } },
    'node_modules/one': {
      version: '1.0.0',
      dependencies: { two: '1.0.0', '@scarf/scarf': '1.0.0' },
      peerDependencies: { host: '1.0.0', compiler: '1.0.0' },
      peerDependenciesMeta: { compiler: { optional: true } },
    },
    'node_modules/two': { version: '1.0.0' },
    'node_modules/host': { version: '1.0.0', peer: true } as LockFile['packages'][string],
    'node_modules/compiler': { version: '1.0.0', hasInstallScript: true },
    'node_modules/tool': { version: '1.0.0' },
    'node_modules/built': { version: '1.0.0', optional: true, hasInstallScript: true } as LockFile['packages'][string],
    'node_modules/media': { version: '1.0.0' },
    'node_modules/@scarf/scarf': { version: '1.0.0', hasInstallScript: true },
  },
}

const part = { workspaces: ['packages/server'], without: ['@own/extra'], isBuilt: false }

test('a part holds what its workspaces need, from where Node finds it, and no optional peer', () => {
  const { packages } = productionLock(lock, part)
  expect(Object.keys(packages)).toEqual([
    '',
    'node_modules/@own/server',
    'node_modules/built',
    'node_modules/host',
    'node_modules/one',
    'node_modules/two',
    'packages/server',
    'packages/server/node_modules/two',
  ])
  expect(packages['']).toEqual({ name: 'whole', version: '1.0.0', workspaces: ['packages/server'] })
  expect(packages['packages/server']).not.toHaveProperty('devDependencies')
  expect(packages['packages/server']?.optionalDependencies).toEqual({ built: '1.0.0', gone: '1.0.0' })
  expect(packages['node_modules/one']?.dependencies).toEqual({ two: '1.0.0' })
  expect(packages['node_modules/host']).not.toHaveProperty('peer')
  expect(packages['node_modules/built']).toMatchObject({ optional: true })
})

test('a workspace that is optional comes with all that it needs, and tools where the part is built', () => {
  const all = productionLock(lock, { ...part, without: [] })
  expect(Object.keys(all.packages)).toContain('node_modules/media')
  expect(all.packages['node_modules/media']).toMatchObject({ optional: true })
  expect(Object.keys(productionLock(lock, { ...part, isBuilt: true }).packages)).toContain('node_modules/tool')
})

test('a lock file that lacks what is needed is refused, and install scripts are found', () => {
  const { 'node_modules/two': _two, ...packages } = lock.packages
  expect(() => productionLock({ ...lock, packages }, part)).toThrow('The lock file has no two')
  expect(listInstallScripts(productionLock(lock, part))).toEqual(['node_modules/built'])
})

test.each(['gateway', 'sandbox'] as const)('no package of the %s runs a script when it is installed', (name) => {
  const found = readPartLock(root, name)
  expect(Object.keys(found.packages).length).toBeGreaterThan(100)
  expect(listInstallScripts(found)).toEqual([])
})

test('the gateway has no tool of the build, and no sandbox', () => {
  const names = Object.keys(readPartLock(root, 'gateway').packages)
  const tools = /node_modules\/(typescript|vite|vitest|esbuild|rolldown|react|sharp|@svc\/(sandbox|console|cli))$/
  expect(names.filter((name) => tools.test(name))).toEqual([])
  expect(names).toContain('node_modules/@svc/contract')
})

// `node tools/make-env-example.ts` makes it.
test('the example of the settings has every variable, with its default, and secrets as files', () => {
  const page = readFileSync(path.join(root, 'docs/configuration.md'), 'utf8')
  const example = readFileSync(path.join(root, 'deploy/svc.env.example'), 'utf8')
  expect(example).toBe(renderEnvExample(page, secretNames))
  for (const name of secretNames) expect(example).toContain(`\n#${name}_FILE=`)
})
