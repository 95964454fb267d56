"""More held-out material: further unseen tools, and questions that need no tool or a tool that is missing."""

UNSEEN = """
play_sound(sound: string, volume?: integer) - Play a sound effect.
Play the thunder sound | {"sound": "thunder"}
Let me hear applause at volume 70 | {"sound": "applause", "volume": 70}
Play doorbell with volume 30 | {"sound": "doorbell", "volume": 30}
I want to hear the seagulls sound | {"sound": "seagulls"}
Play the sound trumpet | {"sound": "trumpet"}
roll_dice(sides: integer, count?: integer) - Roll dice.
Roll a die with 20 sides | {"sides": 20}
Throw 3 dice with 6 sides each | {"sides": 6, "count": 3}
Roll 5 dice with 12 sides | {"sides": 12, "count": 5}
Roll me a die that has 8 sides | {"sides": 8}
Please throw a 10 sided die | {"sides": 10}
charge_card(amount: number, currency: "EUR"|"USD"|"GBP") - Charge the stored card.
Charge the card 49.99 EUR | {"amount": 49.99, "currency": "EUR"}
Take 120 USD from my card | {"amount": 120, "currency": "USD"}
Please charge 15.5 GBP | {"amount": 15.5, "currency": "GBP"}
Bill my card for 310 EUR | {"amount": 310, "currency": "EUR"}
My card should be charged 8.25 USD | {"amount": 8.25, "currency": "USD"}
subscribe_topic(topic: string, daily: boolean) - Subscribe to news about a topic.
Subscribe me to astronomy, daily: true | {"topic": "astronomy", "daily": true}
Sign me up for cycling news with daily set to false | {"topic": "cycling", "daily": false}
I'd like news on opera, daily true | {"topic": "opera", "daily": true}
Subscribe to gardening with daily false | {"topic": "gardening", "daily": false}
Follow the topic robotics, daily should be true | {"topic": "robotics", "daily": true}
measure_distance(start: string, end: string) - Measure the distance between two places.
How far is it from Leeds to Hull? | {"start": "Leeds", "end": "Hull"}
Measure the distance from Porto to Faro | {"start": "Porto", "end": "Faro"}
What's the distance between Graz and Linz? | {"start": "Graz", "end": "Linz"}
Distance from Basel to Bern please | {"start": "Basel", "end": "Bern"}
I'm going from Bari to Lecce, how far is that? | {"start": "Bari", "end": "Lecce"}
close_blinds(room: string) - Close the blinds in a room.
Close the blinds in the study | {"room": "study"}
Shut the attic blinds | {"room": "attic"}
It's too bright in the lounge, close the blinds | {"room": "lounge"}
Please pull down the blinds in the bathroom | {"room": "bathroom"}
Blinds closed in the guest room please | {"room": "guest room"}
create_invoice(customer: string, amount: number, due?: string) - Create an invoice for a customer.
Create an invoice of 450 for Baker Ltd | {"customer": "Baker Ltd", "amount": 450}
Invoice Nordwind for 1299.5 due 2025-03-01 | {"customer": "Nordwind", "amount": 1299.5, "due": "2025-03-01"}
Bill the customer Hilltop Farm 75 | {"customer": "Hilltop Farm", "amount": 75}
Make an invoice for Zenith Labs over 2000, due on 2024-11-15 | {"customer": "Zenith Labs", "amount": 2000, "due": "2024-11-15"}
Please write an invoice to Kovacs for 88.2 | {"customer": "Kovacs", "amount": 88.2}
ping_host(host: string) - Check whether a host can be reached.
Ping example.org | {"host": "example.org"}
Is mail.bluehill.net reachable? | {"host": "mail.bluehill.net"}
Check whether 10.0.0.7 responds | {"host": "10.0.0.7"}
Can you reach the host printer.local? | {"host": "printer.local"}
See if shop.acme.com is up | {"host": "shop.acme.com"}
highest_of(numbers: number[]) - Find the largest of several numbers.
Which is the largest of 4, 19 and 7? | {"numbers": [4, 19, 7]}
Find the highest number: 33, 12, 58 | {"numbers": [33, 12, 58]}
What's the maximum of 2.5, 9.1 and 3.3? | {"numbers": [2.5, 9.1, 3.3]}
Largest of 100, 250, 175, 90? | {"numbers": [100, 250, 175, 90]}
Tell me the biggest number among 61, 16 and 66 | {"numbers": [61, 16, 66]}
feed_pet(pet: string, grams: integer) - Feed a pet from the automatic feeder.
Feed Biscuit 40 grams | {"pet": "Biscuit", "grams": 40}
Give 65 grams of food to Momo | {"pet": "Momo", "grams": 65}
Rex is hungry, feed him 120 grams | {"pet": "Rex", "grams": 120}
Please dispense 30 grams for Pebbles | {"pet": "Pebbles", "grams": 30}
Time to feed Luna with 55 grams | {"pet": "Luna", "grams": 55}
shorten_url(url: string) - Make a short link for a URL.
Shorten https://example.com/very/long/page | {"url": "https://example.com/very/long/page"}
Make a short link for https://news.site.org/a/123 | {"url": "https://news.site.org/a/123"}
Can you make https://maps.place.net/view?id=9 shorter? | {"url": "https://maps.place.net/view?id=9"}
Short URL for https://blog.kite.io/spring please | {"url": "https://blog.kite.io/spring"}
I need a shorter version of the link https://pics.me/album7 | {"url": "https://pics.me/album7"}
log_mood(mood: "good"|"okay"|"bad", comment?: string) - Record the user's mood.
Log my mood as good | {"mood": "good"}
Record that my mood is bad with the comment "long day" | {"mood": "bad", "comment": "long day"}
My mood today is okay, log it | {"mood": "okay"}
Note a good mood, comment: 'sun is out' | {"mood": "good", "comment": "sun is out"}
Put down a bad mood for today | {"mood": "bad"}
"""

# No tool is needed, whatever is listed.
CHAT = """What is the capital of Australia?|Who painted Starry Night?|How many strings does a violin have?|Hello, nice day, isn't it?
|Which animal says moo?|What colour do you get from blue and yellow?|Give me a fun fact about octopuses|Could you cheer me up?
|Thank you so much for your help!|What's the name of the fairy tale with seven dwarfs?|Is Pluto a planet?|How do magnets work?
|Write a two-line poem about rivers|I can't sleep, what should I do?|What's a good present for a gardener?|Who was Marie Curie?
|Do you have feelings?|How are candles made?|What do koalas eat?|What is jazz?|Which ocean lies between Europe and America?
|Please introduce yourself|What is a palindrome?|Tell me something surprising about frogs|Are you happy?|How long does it take to boil an egg?
|What does it mean to be polite?|What's your opinion on winter?|Name two kinds of cheese|Who invented the light bulb?|What's the plural of mouse?
|In which season do tulips bloom?|Is the number one a prime number?|What is the Pythagorean theorem?|What is a file system?|Why do computers use binary?
|Explain what an operating system does|How did people write before paper?|What is a variable in algebra?|Who came up with calculus?
|What is a good way to learn times tables?|How should I organise my documents?|What does the word delete mean?|What's the difference between addition and subtraction?
|I read 3 books last month and loved them!|My dog is 4 years old.|We visited Rome in 2019.|I live at number 12.
|I'm going to bed now.|See you tomorrow!|You're wrong about that.|What a lovely song!|Congratulate my sister on her wedding
|Suggest a title for a story about a lost key|What's the best pizza topping?|Tell me a bedtime story in one sentence|What rhymes with moon?
|Describe the taste of lemon|How would you comfort a friend?|What would you do on a rainy day?|Complete the proverb: the early bird
|Is it rude to be late?|How do you say good night in Italian?|What makes a good leader?|Why do we yawn?|What is Shakespeare famous for?
|When was the Eiffel Tower built?|Which country gave us sushi?|Why are flamingos pink?|What does an architect do?|What's so special about diamonds?
|How deep is the ocean?|Explain rain to me|Recommend a hobby for winter evenings"""

# Asked with only these groups listed: the tool that would be needed is not there.
MISSING = {
    "bundled": """What's the weather in Lisbon right now?|Send an e-mail to my boss saying I'm ill|Set an alarm for 6:45|Play some music by Queen
|Translate this document into Dutch with a translation service|Order me a large pizza|Call Peter on the phone|Book a flight to Madrid for Friday
|Turn off the lamp in the corridor|What time is it in Tokyo at the moment?|Post a picture on my profile|What is the share price of Siemens today?
|Search the web for cheap tents|Is flight BA2490 on time?|Set the kitchen to 21 degrees|Charge the card 49.99 EUR|Roll a die with 20 sides
|Reserve a table for 4 at Luigi's at 19:30|Rotate beach.jpg by 90 degrees|Ping example.org""",
    "calculator": """What's inside todo.txt?|Remove old.log please|Save the text 'buy milk' into list.txt|Which documents do I have?|Open the calendar for Monday
|Read me the newest message in my inbox|Get rid of the file draft_two.md|Let me see the files within harvest|Note 'ring Sam' in memo.txt for me|What's the traffic like on the A1?""",
    "files": """Could you work out 318 plus 77 for me?|what do I get if I split 975 by 25|take 418 away from 873|So what would 306*45 come to?|help me take the square root of 1369
|Could you raise 12 to the power 4 for me?|How hot is it outside?|I had 370 apples and bought 258 more, how many now?|Send a text message to Lena|Convert 30 degrees celsius to fahrenheit""",
}
