export const declares = {
  about: 'the policy for value that staff create or move: 24-hour totals, second approvers, proposals',
  tags: { Approvals: 'Staff actions waiting for a second person.' },
  permissions: { 'approval.read': 'See actions waiting for a second person' },
} as const;
