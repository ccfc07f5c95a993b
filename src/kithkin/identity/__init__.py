"""Who somebody is across people, contacts and chats: one record for each person."""
