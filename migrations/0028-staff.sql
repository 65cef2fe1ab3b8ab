-- Who opened an account of staff; null: the person did. Whoever opens an account may know how to get into it.
alter table users add column opened_by integer references users;

-- Accounts of before, as far as the audit tells.
update users u set opened_by = a.user_id
from admin_audit a
where a.method = 'POST' and a.path in ('/admin/user/admin-user', '/user/admin-user') and a.status_code = 201
  and a.after ->> 'id' = u.id::text and a.user_id <> u.id and exists (select from users o where o.id = a.user_id);
