import type { Finding } from './finding.ts'
import { LEVELS } from './room-of.ts'
import type { TextFile } from './tree.ts'

const MAP = 'ARCHITECTURE.md'
const SERVER = 'packages/server/src/'

/** Rooms whose row in the map is missing or says another level, rows without a room, and paths that lead nowhere. */
export function findStaleMap(files: readonly TextFile[]): Finding[] {
  const map = files.find(({ path }) => path === MAP)
  if (map === undefined) return [{ path: MAP, message: 'is missing' }]
  const rows = new Map(
    [...map.text.matchAll(/^\| (\d) \| `([^`]+)` \|/gm)].map(([, level, room]) => [room, Number(level)]),
  )
  const wrong = Object.entries(LEVELS)
    .filter(([room, level]) => rows.get(room) !== level)
    .map(([room, level]) => ({ path: MAP, message: `lacks the row of room ${room}, level ${level}` }))
  const unknown = [...rows.keys()]
    .filter((room) => room === undefined || !(room in LEVELS))
    .map((room) => ({ path: MAP, message: `has a row for ${room}, which is no room` }))
  return [...wrong, ...unknown, ...findDeadPaths(map, files)]
}

function findDeadPaths({ text }: TextFile, files: readonly TextFile[]): Finding[] {
  const known = new Set(files.map(({ path }) => path))
  const named = [...text.matchAll(/`([a-z][\w./-]*\/[\w.-]+\.(?:ts|mjs|sql))`/g)].map(([, path = '']) => path)
  return [...new Set(named)]
    .filter((path) => !known.has(path) && !known.has(`${SERVER}${path}`))
    .map((path) => ({ path: MAP, message: `names ${path}, which does not exist` }))
}
