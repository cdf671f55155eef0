import type { Finding } from './finding.ts'
import type { TextFile } from './tree.ts'

/** A route is in the folder `routes` of its feature. */
const ROUTE = /^packages\/server\/src\/.*\broutes\/([^/]+)$/

/** An endpoint as far as its file is concerned. */
export interface EndpointPath {
  readonly path: string
}

/** `/v1/usage/{request_id}` is answered in `v1-usage-request-id.ts`, `{jobId}` is `job-id`. */
export function fileOfEndpoint({ path }: EndpointPath): string {
  const words = path.replaceAll(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()
  return `${words.slice(1).replaceAll(/[{}]/g, '').replaceAll(/[/_.]/g, '-')}.ts`
}

/** Endpoints without their file, and files of routes without an endpoint. */
export function findEndpointMismatches(files: readonly TextFile[], endpoints: readonly EndpointPath[]): Finding[] {
  const present = new Map(
    files
      .map(({ path }) => [ROUTE.exec(path)?.[1], path] as const)
      .filter(([name]) => name !== undefined && !/(\.test|-deps)\.ts$/.test(name) && !NOT_ROUTES.has(name)),
  )
  const wanted = new Map(endpoints.map((endpoint) => [fileOfEndpoint(endpoint), endpoint.path]))
  const missing = [...wanted]
    .filter(([name]) => !present.has(name))
    .map(([name, endpoint]) => ({ path: `routes/${name}`, message: `is missing; it would answer ${endpoint}` }))
  const loose = [...present]
    .filter(([name]) => name === undefined || !wanted.has(name))
    .map(([, path]) => ({ path, message: 'answers no endpoint of the contract' }))
  return [...missing, ...loose]
}

/** What routes of a feature share. */
const NOT_ROUTES: ReadonlySet<string> = new Set(['admit-linking.ts'])
