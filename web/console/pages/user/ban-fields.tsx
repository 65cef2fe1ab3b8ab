import { TextArea } from '../../../kit/form/field.tsx';

export const BanFields = () => <TextArea name="banReason" label="Reason" maxLength={500} rows={2} />;
