import type { Finding } from './finding.ts'
import type { TextFile } from './tree.ts'

const FOLDER = 'packages/server/src/http/routes/'

/** An endpoint as far as its file is concerned. */
export interface EndpointPath {
  readonly path: string
}

/** `/v1/usage/{request_id}` is answered in `v1-usage-request-id.ts`, `{jobId}` is `job-id`. */
export function fileOfEndpoint({ path }: EndpointPath): string {
  const words = path.replaceAll(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()
  return `${FOLDER}${words.slice(1).replaceAll(/[{}]/g, '').replaceAll(/[/_.]/g, '-')}.ts`
}

/** Endpoints without their file, and files without an endpoint. */
export function findEndpointMismatches(files: readonly TextFile[], endpoints: readonly EndpointPath[]): Finding[] {
  const present = files.map(({ path }) => path).filter((path) => path.startsWith(FOLDER) && !path.endsWith('.test.ts'))
  const wanted = new Map(endpoints.map((endpoint) => [fileOfEndpoint(endpoint), endpoint.path]))
  const missing = [...wanted]
    .filter(([file]) => !present.includes(file))
    .map(([path, endpoint]) => ({ path, message: `is missing; it would answer ${endpoint}` }))
  const loose = present
    .filter((path) => !wanted.has(path))
    .map((path) => ({ path, message: 'answers no endpoint of the contract' }))
  return [...missing, ...loose]
}
