import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../errors/service-error.ts'

function problem(message: string): ServiceError {
  return new ServiceError('invalid_value', message, { headers: { connection: 'close' } })
}

/**
 * What is wrong with a request that whoever stands in between could understand differently: a version without
 * headers, no host, or several hosts.
 *
 * Node's own check of the host is off, because its answer has neither a body nor a request id.
 * Source: RFC 9112, sections 2.3 and 3.2.
 *
 * @returns undefined when nothing is.
 */
export function protocolProblem({ rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return problem('The request must be in HTTP/1.1.')
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined
  return problem('The request must name one host.')
}
