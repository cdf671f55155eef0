import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { environmentSchema, secretNames } from './environment.ts'
import type { UpstreamConfig } from './config.ts'
import { loadConfig, readSettings } from './load-config.ts'
import { loadOperatorConfig } from './load-operator-config.ts'

let workingDir = ''
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'svc-secret-files-'))
})
afterEach(() => rmSync(workingDir, { recursive: true }))

/** POSIX. */
const MAKE_PIPE = 'mkfifo'

/** A value that the schema takes, for each secret there is. */
const values: Readonly<Record<string, string>> = {
  SVC_DATABASE_URL: 'postgres://svc:canary@db.example.com/books',
  SVC_UPSTREAM_API_KEY: 'sk-canary',
  SVC_RPC_URLS_4663: 'https://one.example.com/canary,https://two.example.com/canary',
  SVC_RPC_URLS_46630: 'https://three.example.com/canary',
  SVC_KEY_PEPPER: `2:${'canary'.repeat(6)},1:${'f00d'.repeat(8)}`,
  SVC_SESSION_SECRET: 'canary'.repeat(7),
  SVC_MEDIA_SECRET: 'canary'.repeat(8),
  SVC_S3_ACCESS_KEY_ID: 'AKCANARY',
  SVC_S3_SECRET_ACCESS_KEY: 'canary/secret+key',
  SVC_OUTBOUND_PROXY: 'http://svc:canary@proxy.example.com:3128/',
  SVC_SMTP_URL: 'smtps://svc:canary@mail.example.com',
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(workingDir, name)
  writeFileSync(path, content, { mode: 0o600 })
  return path
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readSettings({ env, workingDir })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  throw new Error('the configuration was accepted')
}

test('the variables with a secret in them are these', () => {
  expect(secretNames.toSorted()).toEqual(Object.keys(values).toSorted())
  // A setting that is named like a secret and is not marked as one would be left out.
  const named = Object.keys(environmentSchema.shape).filter((name) => /SECRET|PEPPER|KEY|_URLS?_?\d*$/.test(name))
  // Addresses without a key in them, and one that is the path of a file already.
  const plain = ['SVC_PUBLIC_URL', 'SVC_UPSTREAM_URL', 'SVC_LOG_KEY_FILE']
  expect(named.filter((name) => !secretNames.includes(name) && !plain.includes(name))).toEqual([])
})

test.each(Object.entries(values))('%s may be a file, with or without a line end', (name, value) => {
  const given = readSettings({ env: { [name]: value }, workingDir }).environment
  for (const end of ['', '\n', '\r\n']) {
    write('secret', `${value}${end}`)
    for (const path of ['secret', join(workingDir, 'secret')]) {
      expect(readSettings({ env: { [`${name}_FILE`]: path }, workingDir }).environment).toEqual(given)
    }
  }
})

test('the key of an upstream of the file may be a file, under whatever name the key has', () => {
  const upstream = { name: 'one', kind: 'openai-compatible', url: 'http://127.0.0.1:1/v1' }
  const upstreams = [
    { ...upstream, api_key_env: 'ONE_KEY' },
    { ...upstream, name: 'two', api_key_env: 'SVC_TWO_KEY' },
  ]
  write('svc.config.json', JSON.stringify({ upstreams }))
  const env = { ONE_KEY_FILE: write('one', 'sk-one\n'), SVC_TWO_KEY_FILE: write('two', 'sk-two\n') }
  const { config } = loadConfig({ env, workingDir })
  const secretsOf = (of: { readonly upstreams: readonly UpstreamConfig[] }): readonly string[] =>
    of.upstreams.flatMap(({ apiKeys }) => apiKeys.map(({ secret }) => secret))
  expect(secretsOf(config)).toEqual(['sk-one', 'sk-two'])
  expect(secretsOf(loadOperatorConfig({ env, workingDir }))).toEqual(['sk-one', 'sk-two'])
  // Of several keys of one upstream each may be a file.
  write('svc.config.json', JSON.stringify({ upstreams: [{ ...upstream, api_key_env: ['ONE_KEY', 'SVC_TWO_KEY'] }] }))
  expect(secretsOf(loadConfig({ env, workingDir }).config)).toEqual(['sk-one', 'sk-two'])
})

test('the operator commands take their secrets from files, too', () => {
  const env = {
    SVC_DATABASE_URL_FILE: write('url', 'postgres://svc:word@db.example.com/books\n'),
    SVC_KEY_PEPPER_FILE: write('pepper', `${'ab'.repeat(16)}\n`),
    SVC_SESSION_SECRET_FILE: write('session', `${'cd'.repeat(16)}\n`),
  }
  expect(loadOperatorConfig({ env, workingDir })).toMatchObject({
    databaseUrl: 'postgres://svc:word@db.example.com/books',
    peppers: [{ version: 1, secret: 'ab'.repeat(16) }],
    sessionSecret: 'cd'.repeat(16),
  })
})

test('a link to a file is followed, as Kubernetes mounts secrets', () => {
  write('real', 'sk-one')
  symlinkSync(join(workingDir, 'real'), join(workingDir, 'link'))
  const { environment } = readSettings({ env: { SVC_UPSTREAM_API_KEY_FILE: 'link' }, workingDir })
  expect(environment.SVC_UPSTREAM_API_KEY).toBe('sk-one')
})

test('an empty name of a file counts as not set', () => {
  const env = { SVC_UPSTREAM_API_KEY: 'sk-one', SVC_UPSTREAM_API_KEY_FILE: ' ' }
  expect(readSettings({ env, workingDir }).environment.SVC_UPSTREAM_API_KEY).toBe('sk-one')
})

describe('the start fails, and its message names the variable and nothing of the secret', () => {
  const canary = 'canary-of-a-secret'.repeat(3)

  test('where both are given', () => {
    const env = { SVC_KEY_PEPPER: canary, SVC_KEY_PEPPER_FILE: write('pepper', canary) }
    expect(problemsOf(env)).toEqual(['SVC_KEY_PEPPER and SVC_KEY_PEPPER_FILE are both set. Give one of them.'])
  })

  const cases: readonly (readonly [why: string, make: () => string, says: string])[] = [
    ['there is no such file', () => 'nowhere/secret', 'names a file that does not exist'],
    ['the secret itself is given for a path', () => canary, 'names a file that does not exist'],
    ['a very long secret is given for a path', () => canary.repeat(100), 'is no path'],
    ['it is a folder', () => '.', 'names a folder or a device, not a file'],
    ['it is a device', () => '/dev/null', 'names a folder or a device, not a file'],
    ['it is empty', () => write('empty', ''), 'names an empty file'],
    ['it holds a line end alone', () => write('line-end', '\n'), 'names an empty file'],
    ['it is too large', () => write('large', canary.repeat(2_000)), 'names a file of more than 64 KiB'],
    ['it has two lines', () => write('lines', `${canary}\n${canary}\n`), 'names a file of more than one line'],
    ['it is no text', () => write('binary', Uint8Array.of(0xff, 0xfe, 0x00)), 'names a file that is not text'],
    ['it holds a zero byte', () => write('zero', `${canary}\0`), 'names a file that is not text'],
  ]
  test.each(cases)('where %s', (_why, make, says) => {
    const problems = problemsOf({ SVC_KEY_PEPPER_FILE: make() })
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^SVC_KEY_PEPPER_FILE ${says}.*\\.$`))])
    expect(problems.join()).not.toContain('canary')
  })

  test('where a pipe is named that no one writes to, without waiting for it', () => {
    execFileSync(MAKE_PIPE, [join(workingDir, 'pipe')])
    expect(problemsOf({ SVC_KEY_PEPPER_FILE: 'pipe' })).toEqual([
      'SVC_KEY_PEPPER_FILE names a folder or a device, not a file.',
    ])
  })

  test('where the content has another form, and every problem is there at once', () => {
    const problems = problemsOf({
      SVC_KEY_PEPPER_FILE: write('short', 'canary'),
      SVC_SESSION_SECRET_FILE: 'nowhere',
      SVC_SESION_SECRET_FILE: 'nowhere',
      SVC_PORT_FILE: 'nowhere',
    })
    expect(problems.toSorted()).toEqual([
      expect.stringContaining('SVC_KEY_PEPPER: give at least 32 characters'),
      expect.stringContaining('SVC_PORT_FILE is not a known variable'),
      'SVC_SESION_SECRET_FILE is not a known variable. Did you mean SVC_SESSION_SECRET_FILE?',
      'SVC_SESSION_SECRET_FILE names a file that does not exist.',
    ])
    expect(problems.join()).not.toContain('canary')
  })

  test('where a folder of the path cannot be one', () => {
    mkdirSync(join(workingDir, 'folder'))
    write('folder/file', 'x')
    expect(problemsOf({ SVC_KEY_PEPPER_FILE: 'folder/file/secret' })).toEqual([
      'SVC_KEY_PEPPER_FILE names a file that does not exist.',
    ])
  })
})
