/** The port of a gateway that was given none. Source: docs/configuration.md, SVC_PORT. */
const DEFAULT_PORT = '8787'

/** Pays the demo account on the sandbox's chain. The command finds the gateway by its port. */
export function fundCommand(port = location.port): string {
  return port === '' || port === DEFAULT_PORT ? 'npm run fund' : `SVC_PORT=${port} npm run fund`
}
