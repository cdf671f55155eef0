import { quoteReply, quoteRequest } from '../quotes.ts'
import { bodyErrors, type EndpointTable } from './endpoint.ts'

export const quotesEndpoints = {
  createQuote: {
    id: 'createQuote',
    method: 'POST',
    path: '/v1/quotes',
    auth: 'key',
    right: 'inference',
    tag: 'Quotes',
    summary: 'Ask what a request will cost before it is sent',
    description:
      'Reads a request as its endpoint would, and says the most that it can cost, what it probably costs, and what ' +
      'makes the maximum. Free. Sent within ten minutes with the header `x-svc-quote`, the request costs no more, at ' +
      'the quoted unit prices, whatever they are by then.',
    request: { body: quoteRequest },
    reply: { description: 'The quote.', json: quoteReply },
    errors: [
      ...bodyErrors,
      'unsupported_parameter',
      'unsupported_format',
      'empty_content',
      'context_length_exceeded',
      'model_not_allowed',
      'model_not_found',
    ],
    rateClass: 'keyed',
  },
} as const satisfies EndpointTable<'createQuote'>
