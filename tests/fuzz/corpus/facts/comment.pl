% people
p(a). /* more
 */ p('it''s \n').
