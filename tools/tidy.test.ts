/**
 * The law of the tree: who may import whom, what things are called, how long they may be, what the repository holds.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { endpoints } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { findStaleMap } from './tidy/architecture.ts'
import { findStaleIndex } from './tidy/decision-index.ts'
import { findDearImports, findLoadEffects } from './tidy/effects.ts'
import { findEndpointMismatches } from './tidy/endpoint-files.ts'
import { exceptions } from './tidy/exceptions.ts'
import type { Finding } from './tidy/finding.ts'
import { findBadNames, findBadSizes, findBuiltFiles, findLooseEnds } from './tidy/forms.ts'
import {
  findDeadLinks,
  findForeignPlaces,
  findResolvedPackages,
  findRootDocuments,
  findUnknownDecisions,
} from './tidy/hygiene.ts'
import {
  findCycles,
  findPackageBreaches,
  findReachBreaches,
  findRoomBreaches,
  findStoreBreaches,
  findTestImports,
} from './tidy/rooms.ts'
import { parseSource } from './tidy/source-file.ts'
import { findTableBreaches } from './tidy/tables.ts'
import { readTree } from './tidy/tree.ts'

const root = path.dirname(import.meta.dirname)
const files = readTree(root)
const sources = files.filter((file) => /\.tsx?$/.test(file.path)).map(parseSource)

const rules: Readonly<Record<string, () => readonly Finding[]>> = {
  'a room imports only from lower levels': () => findRoomBreaches(sources),
  'the gateway reaches no private key, and what holds them reaches nothing of the gateway': () =>
    findReachBreaches(sources),
  'a store is imported by its own room, composition roots and tests only': () => findStoreBreaches(sources),
  'only its own room names a table': () => findTableBreaches(sources),
  'packages know one another by name, and only those that they may': () => findPackageBreaches(sources),
  'nothing but a test imports what is made for tests': () => findTestImports(sources),
  'imports make no circles': () => findCycles(sources),
  'the map of the architecture is true': () => findStaleMap(files),
  'the index of the decisions is what they say': () => findStaleIndex(files),
  'importing a file does nothing': () => findLoadEffects(sources),
  'no import loads more than it is for': () => findDearImports(sources),
  'names are kebab-case and say what is inside': () => findBadNames(files),
  'files have limits': () => findBadSizes(files),
  'sources are TypeScript only': () => findBuiltFiles(files),
  'an open end has an issue number': () => findLooseEnds(files),
  'every endpoint has its file and every file its endpoint': () =>
    findEndpointMismatches(files, Object.values(endpoints)),
  'no file names a machine or a package registry': () => findForeignPlaces(files),
  'lock files name no addresses': () => findResolvedPackages(files),
  'the root holds exactly the agreed documents': () => findRootDocuments(files),
  'links between documents lead somewhere': () => findDeadLinks(files, (file) => existsSync(path.join(root, file))),
  'a decision that is named exists': () => findUnknownDecisions(files),
}

describe('the tree', () => {
  test('was read', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(sources.filter((source) => source.room !== null).length).toBeGreaterThan(30)
    expect(sources.flatMap((source) => source.imports).length).toBeGreaterThan(100)
  })

  test.each(Object.entries(rules))('%s', (rule, find) => {
    const excused = exceptions.filter((exception) => exception.rule === rule).map((exception) => exception.path)
    const found = find()
    const breaches = found.filter((finding) => !excused.includes(finding.path))
    expect(breaches.map((finding) => `${finding.path}: ${finding.message}`)).toEqual([])
    expect(excused.filter((excusedPath) => !found.some((finding) => finding.path === excusedPath))).toEqual([])
  })

  test('every exception belongs to a rule', () => {
    expect(exceptions.filter((exception) => !(exception.rule in rules))).toEqual([])
  })
})
