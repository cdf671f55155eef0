import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readProfiles, settingsFolder, writeProfiles, type ProfileFile } from './profile-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-cli-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

const profiles: ProfileFile = {
  current: 'home',
  keepsHistory: false,
  profiles: { home: { baseUrl: 'http://localhost:8787/api', key: 'sk-svc-secret', model: null } },
}

test('what was written is read again; a missing file holds nothing', () => {
  expect(readProfiles(folder)).toEqual({ current: 'default', profiles: {}, keepsHistory: true })
  writeProfiles(path.join(folder, 'new'), profiles)
  expect(readProfiles(path.join(folder, 'new'))).toEqual(profiles)
})

test.skipIf(process.platform === 'win32')(
  'only the owner can read it, also after its mode was opened to others',
  () => {
    const file = writeProfiles(folder, profiles)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    chmodSync(file, 0o644)
    readProfiles(folder)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  },
)

test('no draft is left behind', () => {
  writeProfiles(folder, profiles)
  writeProfiles(folder, profiles)
  expect(readdirSync(folder)).toEqual(['profiles.json'])
})

test.each(['{', '[]', '{"current":"x"}', '{"current":"x","profiles":{"x":{}}}'])(
  'a broken file is reported: %s',
  (text) => {
    writeFileSync(path.join(folder, 'profiles.json'), text)
    expect(() => readProfiles(folder)).toThrow('is not a file of profiles')
  },
)

test('the folder follows the conventions of the system', () => {
  expect(settingsFolder({ XDG_CONFIG_HOME: '/x/config', HOME: '/ada' })).toBe('/x/config/svc')
  expect(settingsFolder({ XDG_CONFIG_HOME: 'relative', HOME: '/ada' })).toBe('/ada/.config/svc')
})
