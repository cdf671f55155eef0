import { consoleEndpointList, endpointList } from '@svc/contract'
import { type ProgramOption, refuseValue } from '../../packages/server/src/platform/runtime/program-options.ts'
import { signInIds } from './sign-in/sign-in-target.ts'

/** Parts beside the operations: hostile nodes of a chain, and hostile lists of models. */
const PARTS = ['chain', 'lists'] as const

/** The only parts to ask; null for all. A misspelt one would ask nothing and find no fault. */
export const partsOption: ProgramOption<readonly string[] | null> = {
  help: 'ids of the operations to ask, with commas between; chain and lists are two more',
  takes: 'ids',
  otherwise: null,
  parse(text) {
    const known = new Set<string>([
      ...PARTS,
      ...signInIds,
      ...[...endpointList, ...consoleEndpointList].map(({ id }) => id),
    ])
    const parts = text.split(',').map((part) => part.trim())
    const unknown = parts.find((part) => !known.has(part))
    if (unknown !== undefined) {
      refuseValue(`There is no "${unknown}". Give chain, lists, or ids of the OpenAPI document and of the console.`)
    }
    return parts
  },
}

/** The path of one request that went wrong, as its fault has it: with the same seed it is sent again, alone. */
export const pathOption: ProgramOption<string | null> = {
  help: 'sends one request again, by the path that its fault tells, with --seed and --only',
  takes: 'path',
  otherwise: null,
  parse(text) {
    if (!/^\d+(?::\d+)*$/.test(text)) refuseValue('Give numbers with colons between, such as 17:0:3.')
    return text
  },
}
