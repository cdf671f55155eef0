import type { ConsoleTable } from './console-endpoint.ts'
import { offerChangeRequest, offerPreview, offerPreviewRequest, offersReply } from './operator-offers.ts'
import { doneReply } from './session.ts'

/** Prices and routes that operators set while the gateway runs. */
export const offerEndpoints = {
  getOffers: {
    id: 'getOffers',
    method: 'GET',
    path: '/console/operator/offers',
    permission: 'operator',
    request: {},
    reply: { description: 'Prices and routes of the file and of the console.', json: offersReply },
    errors: [],
  },
  previewOffer: {
    id: 'previewOffer',
    method: 'POST',
    path: '/console/operator/offers/preview',
    permission: 'operator',
    request: { body: offerPreviewRequest },
    reply: { description: 'What the change would do. Nothing is changed.', json: offerPreview },
    errors: [],
  },
  changeOffer: {
    id: 'changeOffer',
    method: 'POST',
    path: '/console/operator/offers',
    permission: 'operator',
    isSensitive: true,
    request: { body: offerChangeRequest },
    reply: { description: 'It holds: here at once, in other processes within seconds.', json: doneReply },
    errors: [],
  },
} as const satisfies ConsoleTable<'getOffers' | 'previewOffer' | 'changeOffer'>
