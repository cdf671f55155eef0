import { lines, type PanelRow, stat } from '../panel.ts'

export const upstreams: PanelRow = {
  title: 'Upstreams',
  panels: [
    lines('Calls by outcome', 'reqps', 'ok, failed, or stopped by us.', [
      'sum by (upstream, outcome) (rate(svc_upstream_calls_total[$__rate_interval]))',
      '{{upstream}} {{outcome}}',
    ]),
    lines('Failures by kind', 'reqps', 'our_account: the upstream refuses our key, or our credit with it is out.', [
      'sum by (upstream, kind) (rate(svc_upstream_failures_total[$__rate_interval]))',
      '{{upstream}} {{kind}}',
    ]),
    lines('Duration of calls', 's', 'From a call to its end, streams included; 95 of 100.', [
      'histogram_quantile(0.95, sum by (le, upstream, operation) (rate(svc_upstream_call_duration_seconds_bucket[$__rate_interval])))',
      '{{upstream}} {{operation}}',
    ]),
    lines('Calls that run', 'short', 'What is asked of each upstream now.', [
      'sum by (upstream) (svc_upstream_calls_in_flight)',
      '{{upstream}}',
    ]),
    lines('Repeated attempts', 'reqps', 'Unbilled failures that went to another upstream, or to the same once more.', [
      'sum by (from, to, reason) (rate(svc_upstream_repeats_total[$__rate_interval]))',
      '{{from}} to {{to}} ({{reason}})',
    ]),
    lines('Circuits that are not closed', 'short', '2 open, 1 half open; without a model: our account.', [
      'max by (upstream, model) (svc_upstream_circuit_state)',
      '{{upstream}} {{model}}',
    ]),
    stat('Models sold', 'short', 'Models in the list.', 'min(svc_catalog_models)'),
    stat('Age of the list', 's', 'Since models and prices were received.', 'max(svc_catalog_age_seconds)', 86_400),
    stat(
      'Cards below cost',
      'short',
      'Aliases whose card price is below cost and margin.',
      'max(svc_catalog_cards_below_cost)',
      1,
    ),
  ],
}
