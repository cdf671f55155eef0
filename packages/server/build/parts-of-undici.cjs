/**
 * What the gateway needs of undici at its start, in place of all of it: half of the package is a browser's `fetch`, its
 * sockets, caches and mocks. A name that is missing here fails the build.
 */
const { request, stream } = require('undici/lib/api')
const Dispatcher = require('undici/lib/dispatcher/dispatcher')

// As the package does for those who load it whole.
Object.assign(Dispatcher.prototype, { request, stream })

module.exports = {
  Agent: require('undici/lib/dispatcher/agent'),
  ProxyAgent: require('undici/lib/dispatcher/proxy-agent'),
  buildConnector: require('undici/lib/core/connect'),
  errors: require('undici/lib/core/errors'),
  // Who calls one of these loads the package whole.
  request: async (...words) => (await import('undici')).default.request(...words),
  fetch: async (...words) => (await import('undici')).default.fetch(...words),
}
