import type { RouteKit } from '../edge/route-kit.ts'
import type { QuoteDeps } from './quote-body.ts'

export interface QuoteRoutesDeps extends RouteKit, QuoteDeps {}
