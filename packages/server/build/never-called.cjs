/**
 * In place of packages that others load and the gateway never calls: what lists files for `@fastify/static`, and what
 * fastify has for schemas of its own and for requests without a socket.
 */
const refuse = () => {
  throw new Error('A built gateway has not this package.')
}
module.exports = Object.assign(refuse, { glob: refuse })
