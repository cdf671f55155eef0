import { expect, test } from 'vitest'
import { namedPath } from './named-path.ts'

const workingDir = '/srv/svc'

test.each([
  ['in the folder of the process', {}, 'invoice.csv', '/srv/svc/invoice.csv'],
  ['where the person stands whom npm serves', { npm_lifecycle_event: 'admin' }, 'a.csv', '/where/ada/a.csv'],
  ['also for the audit', { npm_lifecycle_event: 'audit' }, '../kept/checkpoint', '/where/kept/checkpoint'],
  ['also for the sweeper', { npm_lifecycle_event: 'sweep' }, './keys.json', '/where/ada/keys.json'],
  ['not where another script has started it', { npm_lifecycle_event: 'test' }, 'a.csv', '/srv/svc/a.csv'],
  ['as it is where it is absolute', { npm_lifecycle_event: 'admin' }, '/tmp/a.csv', '/tmp/a.csv'],
])('a file is looked for %s', (_where, env, name, path) => {
  expect(namedPath(name, { env: { INIT_CWD: '/where/ada', ...env }, workingDir })).toBe(path)
})

test('without npm its folder is that of the process', () => {
  expect(namedPath('a.csv', { env: { npm_lifecycle_event: 'admin' }, workingDir })).toBe('/srv/svc/a.csv')
})
